// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bench/NkiBenchImport.h"
#include "tests/bench/BenchSupport.h"
#include "tests/support/TestMain.h"

#include <nlohmann/json.hpp>

using namespace accelopt;
using namespace accelopt::tests;
using bench::TaskCatalogue;
using bench::TaskOrigin;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kModule = R"(
import numpy as np

M = 256
N = 1024

def get_inputs():
    # one matrix
    x = np.random.normal(loc=0, scale=1.0, size=(M, N)).astype(np.float32)
    return [x]

def forward(x):
  return x / (1 + np.exp(-x))

def transform_to_nki_inputs(inputs):
    tensor_inputs = []
    tensor_inputs.append(np.reshape(inputs[0], (128, 2, 1024)))
    return tensor_inputs
)";

constexpr std::string_view kKernel = R"(
@nki.jit
def kernel(v1):
    v2 = nl.ndarray((128, 2, 1024), dtype=np.float32, buffer=nl.shared_hbm)
    return v2
)";

/// A checkout with one problem, "silu" unless said otherwise.
void writeCheckout(const fs::path &folder, std::string_view module = kModule,
                   const std::string &problem = "silu",
                   const std::string &moduleName = "./reference/module.py")
{
    const nlohmann::json summary = {
        {problem,
         {{"seed", "./seeds/silu.yaml"},
          {"cases",
           {{"2",
             {{"values", {{"M", 256}}},
              {"impls", nlohmann::json::array(
                            {{{"task", moduleName}, {"kernel", "./kernels/kernel.py"}}})}}}}}}}};
    writeFile(folder / "summary.json", summary.dump());
    writeFile(folder / "reference/module.py", module);
    writeFile(folder / "kernels/kernel.py", kKernel);
}

class Fixture
{
public:
    Result<bench::ImportReport> import() const
    {
        return bench::importNkiBench(
            checkout(), "pub", TaskCatalogue({{sourceTasks(), TaskOrigin::BuiltIn}}), tasks());
    }
    fs::path checkout() const { return pathOf(m_folder) / "checkout"; }
    fs::path tasks() const { return pathOf(m_folder) / "tasks"; }
    Result<Task> load(const std::string &name) const
    {
        return TaskCatalogue({{tasks(), TaskOrigin::UserData}}).load(name, "published");
    }

private:
    QTemporaryDir m_folder;
};

std::string replaced(std::string_view text, std::string_view from, std::string_view to)
{
    std::string changed(text);
    return changed.replace(changed.find(from), from.size(), to);
}

} // namespace

class tst_NkiBenchImport : public QObject
{
    Q_OBJECT

private slots:
    void aProblemBecomesATask()
    {
        const Fixture f;
        writeCheckout(f.checkout());
        const auto report = f.import();
        ACCELOPT_VERIFY_OK(report);
        QVERIFY2(report->skipped.empty(),
                 report->skipped.empty() ? "" : report->skipped[0].reason.c_str());
        QVERIFY((report->tasks == std::vector<std::string>{"pub/silu"}));
        const auto task = f.load("pub/silu");
        ACCELOPT_VERIFY_OK(task);
        QVERIFY((task->arguments.at(0).shape == Shape{256, 1024}));
        QVERIFY((task->results.at(0).shape == Shape{256, 1024}));
        QVERIFY((task->layouts.at(1).arguments.at(0) == Shape{128, 2, 1024}));
        QVERIFY((task->layouts.at(1).results.at(0) == Shape{128, 2, 1024}));
        QCOMPARE(task->minimumWork->trafficBytes, 2.0 * 256 * 1024 * 4);
        QCOMPARE(task->suites.size(), std::size_t(1));
        QVERIFY2(task->published.empty(), "the figure was measured at another shape");
        QVERIFY2(!task->trusted, "nobody has confirmed the checkout's reference");
        QCOMPARE(readFile(task->baselinePath), std::string(kKernel));
        QVERIFY(readFile(task->referencePath).starts_with(kModule));
        QVERIFY(readFile(task->referencePath).ends_with("\nreference = forward\n"));
    }

    void aFolderThatHoldsTheCheckoutWillDo()
    {
        const Fixture f;
        writeCheckout(f.checkout() / "NKIBench");
        const auto report = f.import();
        ACCELOPT_VERIFY_OK(report);
        QCOMPARE(report->tasks.size(), std::size_t(1));
    }

    void figuresOfTheSameShapeAreKept()
    {
        const Fixture f;
        std::string module = replaced(kModule, "M = 256", "M = 4096");
        module = replaced(module, "N = 1024", "N = 7168");
        module = replaced(module, "(128, 2, 1024)", "(128, 32, 7168)");
        writeCheckout(f.checkout(), module);
        writeFile(f.checkout() / "kernels/kernel.py",
                  replaced(kKernel, "(128, 2, 1024)", "(128, 32, 7168)"));
        ACCELOPT_VERIFY_OK(f.import());
        QCOMPARE(f.load("pub/silu")->published.at(0).baselineMs, 1.333);
    }

    void whatCannotBeImportedIsSkippedWithItsReason_data()
    {
        QTest::addColumn<QString>("module");
        QTest::addColumn<QString>("problem");
        QTest::addColumn<QString>("moduleName");
        QTest::addColumn<QString>("reason");
        const QString usual = QStringLiteral("./reference/module.py");
        const auto module = [](std::string_view from, std::string_view to) {
            return QString::fromStdString(replaced(kModule, from, to));
        };
        const QString plain = QString::fromStdString(std::string(kModule));
        QTest::newRow("a problem that nobody knows")
            << plain << "conv" << usual << "add it with \"bench new\"";
        QTest::newRow("inputs that are drawn otherwise")
            << module("np.random.normal(loc=0", "np.random.gamma(loc=0") << "silu" << usual
            << "this line of get_inputs() is not understood: x = np.random.gamma";
        QTest::newRow("an input that is not drawn")
            << module("return [x]", "return [x, y]") << "silu" << usual
            << "\"y\", which it does not draw";
        QTest::newRow("no inputs")
            << module("def get_inputs", "def inputs") << "silu" << usual << "no get_inputs()";
        QTest::newRow("no forward")
            << module("def forward", "def backward") << "silu" << usual << "no forward()";
        QTest::newRow("a dimension without a value")
            << module("N = 1024", "") << "silu" << usual << "there is no dimension \"N\"";
        QTest::newRow("a reshape that does not fit")
            << module("(128, 2, 1024)", "(128, 2, 1025)") << "silu" << usual
            << "cannot be a reshape of \"x\"";
        QTest::newRow("a missing file") << plain << "silu"
                                        << "./reference/none.py"
                                        << "cannot read";
        QTest::newRow("a file outside the checkout") << plain << "silu"
                                                     << "../../../../../../etc/hostname"
                                                     << "does not lie in the checkout";
    }
    void whatCannotBeImportedIsSkippedWithItsReason()
    {
        QFETCH(QString, module);
        QFETCH(QString, problem);
        QFETCH(QString, moduleName);
        QFETCH(QString, reason);
        const Fixture f;
        writeCheckout(f.checkout(), module.toStdString(), problem.toStdString(),
                      moduleName.toStdString());
        const auto report = f.import();
        ACCELOPT_VERIFY_OK(report);
        QVERIFY(report->tasks.empty());
        QCOMPARE(report->skipped.size(), std::size_t(1));
        QCOMPARE(report->skipped[0].problem, problem.toStdString());
        QVERIFY2(report->skipped[0].reason.find(reason.toStdString()) != std::string::npos,
                 report->skipped[0].reason.c_str());
    }

    void aFolderWithoutASummaryIsRefused()
    {
        const Fixture f;
        fs::create_directories(f.checkout());
        const auto report = f.import();
        QVERIFY(!report);
        QVERIFY(report.error().message.find("summary.json") != std::string::npos);
    }
};

ACCELOPT_TEST(tst_NkiBenchImport)
#include "tst_NkiBenchImport.moc"
