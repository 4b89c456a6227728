// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/TestMain.h"

#include "core/agents/OfflineAgent.h"
#include "core/agents/Tuner.h"
#include "core/nki/syntax/Lexer.h"

#include <cmath>
#include <regex>

using namespace accelopt;
using namespace accelopt::agents;

namespace {

const std::string kCopy = R"(import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    tile_m = 128
    tile_n = 512  # wide enough?
    y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // tile_m):
        for j in nl.affine_range(columns // tile_n):
            a = nl.load(x[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n])
            nl.store(y[i * tile_m:(i + 1) * tile_m, j * tile_n:(j + 1) * tile_n], value=a)
    return y
)";

const rewrite::ModelContext kShapes{{{{4096, 6144}}}, {}};

/// The kernel opened, with all that refers to it.
struct Opened
{
    explicit Opened(const std::string &source, const rewrite::ModelContext &context = kShapes)
        : workshop(context, "/usr/bin/python3")
    {
        auto result = workshop.open(source);
        if (!result)
            qFatal("%s", describe(result.error()).c_str());
        kernel = *result;
    }
    Workshop workshop;
    std::shared_ptr<const OpenKernel> kernel;

    std::string offered(const std::string &knob, const rewrite::EngineLoad &now = {0, 1, 0, 1})
    {
        std::string text;
        for (const Setting &setting : settings(kernel->model(), now))
            if (setting.turning.knob == knob)
                text += (text.empty() ? "" : "; ") + setting.proposal.title;
        return text;
    }
};

std::int64_t valueOf(const std::string &source, const std::string &name)
{
    std::smatch match;
    const std::regex pattern(name + " = ([0-9]+)");
    return std::regex_search(source, match, pattern) ? std::stoll(match[1]) : -1;
}

} // namespace

class tst_Tuner : public QObject
{
    Q_OBJECT

private slots:
    void valuesDivideWhatIsCutAndComeNearestFirst()
    {
        Opened opened(kCopy);
        QCOMPARE(
            opened.offered("constant tile_n"),
            std::string("Set tile_n to 384 instead of 512; Set tile_n to 768 instead of 512; "
                        "Set tile_n to 1024 instead of 512; Set tile_n to 256 instead of 512; "
                        "Set tile_n to 192 instead of 512; Set tile_n to 1536 instead of 512"));
        // 128 partitions are the most there are.
        QCOMPARE(opened.offered("constant tile_m"),
                 std::string("Set tile_m to 64 instead of 128; Set tile_m to 32 instead of 128; "
                             "Set tile_m to 16 instead of 128"));
    }

    void aSizeThatTilesDoNotFollowIsLeftAlone()
    {
        // Steps of tile_m, but always 128 rows: another step would leave rows out.
        std::string source = kCopy;
        for (std::size_t at; (at = source.find("(i + 1) * tile_m")) != std::string::npos;)
            source.replace(at, 16, "i * tile_m + 128");
        Opened opened(source);
        QCOMPARE(opened.offered("constant tile_m"), std::string());
        QVERIFY(!opened.offered("constant tile_n").empty());
    }

    void aTileOfWrittenSizeIsNotOutgrown()
    {
        // The result is gathered in a tile whose 128 rows stand as a number.
        std::string source = kCopy;
        const std::string load = "            nl.store(";
        source.replace(source.find(load), load.size(),
                       "            kept = nl.ndarray((nl.par_dim(128), tile_n), dtype=x.dtype, "
                       "buffer=nl.sbuf)\n            kept[:, :] = nl.copy(a)\n"
                       "            nl.store(");
        Opened opened(source);
        QCOMPARE(opened.offered("constant tile_m"), std::string());
        QVERIFY(!opened.offered("constant tile_n").empty());
    }

    void aRegionOfWrittenSizeIsNotOutgrown()
    {
        // The tile follows, the rows that are written of it do not.
        std::string source = kCopy;
        const std::string store = "            nl.store(";
        source.replace(source.find(store), store.size(),
                       "            kept = nl.ndarray((nl.par_dim(tile_m), tile_n), "
                       "dtype=x.dtype, buffer=nl.sbuf)\n            kept[0:128, :] = nl.copy(a)\n"
                       "            nl.store(");
        Opened opened(source);
        QCOMPARE(opened.offered("constant tile_m"), std::string());
    }

    void aNumberThatDecidesNothingIsLeftAlone()
    {
        std::string source = kCopy;
        const std::string made = "    tile_m = 128\n";
        QVERIFY(source.find(made) != std::string::npos);
        source.replace(source.find(made), made.size(),
                       made + "    spare = 64\n    assert 4096 % spare == 0\n");
        Opened opened(source);
        QVERIFY(decidesNothing(opened.kernel->model(), "spare"));
        QVERIFY(!decidesNothing(opened.kernel->model(), "tile_m"));
        QCOMPARE(opened.offered("constant spare"), std::string());
        QVERIFY(!opened.offered("constant tile_m").empty());
    }

    void onlyTheNumberChanges()
    {
        Opened opened(kCopy);
        const auto written = applySetting(opened.kernel->model(),
                                          {{"constant", "tile_n"}, {"from", 512}, {"value", 1024}});
        ACCELOPT_VERIFY_OK(written);
        std::string expected = kCopy;
        expected.replace(expected.find("tile_n = 512"), 12, "tile_n = 1024");
        QCOMPARE(*written, expected);
        QVERIFY(!applySetting(opened.kernel->model(),
                              {{"constant", "tile_n"}, {"from", 512}, {"value", 1000}})
                     .has_value());
    }

    void whereTilesNeedNotBeWholePowersOfTwoAreOffered()
    {
        Opened opened(kCopy, rewrite::ModelContext{{{{4096, 5000}}}, {}});
        QCOMPARE(opened.offered("constant tile_n"),
                 std::string("Set tile_n to 1024 instead of 512; Set tile_n to 256 instead of 512; "
                             "Set tile_n to 2048 instead of 512; Set tile_n to 128 instead of 512; "
                             "Set tile_n to 4096 instead of 512; Set tile_n to 64 instead of 512"));
    }

    void tilesThatComeOutEvenAreOfferedFirst()
    {
        // 10 tiles of 512, the last not full; 10 of 500 cover as much.
        std::string source = kCopy;
        const std::string count = "columns // tile_n";
        QVERIFY(source.find(count) != std::string::npos);
        source.replace(source.find(count), count.size(), "(columns + tile_n - 1) // tile_n");
        Opened opened(source, rewrite::ModelContext{{{{4096, 5000}}}, {}});
        const std::string offered = opened.offered("constant tile_n");
        QVERIFY2(offered.starts_with("Set tile_n to 500 instead of 512; "), offered.c_str());
    }

    void anEngineIsOfferedWhenItIsLessBusy()
    {
        std::string source = kCopy;
        const std::string store = "            nl.store(";
        source.replace(source.find(store), store.size(),
                       "            b = nki.isa.tensor_scalar(data=a, op0=nl.maximum, "
                       "operand0=0.0, engine=nki.isa.vector_engine)\n            nl.store(");
        Opened opened(source);
        QCOMPARE(opened.offered("engine", {0, 2, 1, 0}),
                 std::string("Give b to the scalar engine"));
        QCOMPARE(opened.offered("engine", {0, 1, 2, 0}), std::string());
    }

    void tuningFindsAPlantedOptimum()
    {
        // Made up: 96 rows and 1536 columns are best, and everything else is the worse the further
        // away. No rewrite knows that, and the estimate says otherwise.
        const auto latency = [](const std::string &source) {
            const double m = std::log2(double(valueOf(source, "tile_m")) / 32);
            const double n = std::log2(double(valueOf(source, "tile_n")) / 1536);
            return 1 + m * m / 10 + n * n / 10;
        };
        OfflineAgent agent(kShapes);
        std::string best = kCopy;
        std::vector<search::PastAttempt> past;
        std::set<KernelId> known{nki::kernelIdentity(best)};
        int kernels = 0;
        for (int iteration = 0; iteration < 8; ++iteration) {
            search::PlannerQuestion question;
            question.source = best;
            question.candidate = nki::kernelIdentity(best);
            question.samples = 4;
            question.profile.latencyMs = latency(best);
            question.past = past;
            question.known.assign(known.begin(), known.end());
            std::string fastest = best;
            for (int sample = 0; sample < question.samples; ++sample) {
                question.slot = {iteration, 0, sample};
                const auto plan = agent.choosePlan(question);
                if (!plan)
                    break;
                search::ExecutorQuestion asked;
                asked.source = best;
                asked.plan.directive = plan->directive;
                const auto written = agent.carryOut(asked);
                ACCELOPT_VERIFY_OK(written);
                const KernelId id = nki::kernelIdentity(written->source);
                QVERIFY2(known.insert(id).second, plan->title.c_str());
                ++kernels;
                past.push_back({question.candidate, plan->title, plan->directive,
                                VerdictStatus::Correct, latency(best) / latency(written->source),
                                false, iteration, id});
                if (latency(written->source) < latency(fastest))
                    fastest = written->source;
            }
            best = fastest;
        }
        QCOMPARE(valueOf(best, "tile_m"), std::int64_t(32));
        QCOMPARE(valueOf(best, "tile_n"), std::int64_t(1536));
        QVERIFY(kernels <= 32);
    }

    void parametersTellWhatIsTurned()
    {
        QCOMPARE(turningOf({{"constant", "tile"}, {"from", 256}, {"value", 1024}}),
                 (Turning{"constant tile", 2, 256}));
        QCOMPARE(turningOf({{"engine", "scalar_engine"}, {"statement", 3}}),
                 (Turning{"engine", 0}));
        QCOMPARE(turningOf(nlohmann::json::array()), Turning{});
    }
};

ACCELOPT_TEST(tst_Tuner)
#include "tst_Tuner.moc"
