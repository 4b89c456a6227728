// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/profiling/WorkerProtocol.h"

#include <QByteArray>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace accelopt::profiling {
namespace {

using Json = nlohmann::json;

constexpr std::pair<oracle::NumberCheck, const char *> kChecks[] = {
    {oracle::NumberCheck::None, "none"},
    {oracle::NumberCheck::Quick, "quick"},
    {oracle::NumberCheck::Full, "full"},
};

std::string checkName(oracle::NumberCheck check)
{
    for (const auto &[value, name] : kChecks)
        if (value == check)
            return name;
    return "quick";
}

oracle::NumberCheck checkOf(const std::string &text)
{
    for (const auto &[value, name] : kChecks)
        if (text == name)
            return value;
    throw Json::other_error::create(501, "no such check: " + text, nullptr);
}

// What a kernel printed may end in half a character; that must not cost the answer.
std::string line(const Json &json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json errorJson(const Error &error)
{
    return {{"code", int(error.code)},
            {"message", error.message},
            {"hint", error.hint},
            {"detail", error.detail}};
}

Error errorOf(const Json &json)
{
    Error error;
    const int code = json.at("code").get<int>();
    error.code =
        code >= 0 && code <= int(ErrorCode::Internal) ? ErrorCode(code) : ErrorCode::Internal;
    json.at("message").get_to(error.message);
    json.at("hint").get_to(error.hint);
    json.at("detail").get_to(error.detail);
    return error;
}

std::string toBase64(const std::string &bytes)
{
    return QByteArray::fromRawData(bytes.data(), qsizetype(bytes.size())).toBase64().toStdString();
}

std::string fromBase64(const std::string &text)
{
    return QByteArray::fromBase64(QByteArray::fromStdString(text)).toStdString();
}

/// Decodes, turning what the JSON library throws into a Format error.
template <typename Value, typename Decode>
Result<Value> decoded(std::string_view text, const char *what, Decode &&decode)
{
    try {
        return decode(Json::parse(text));
    } catch (const Json::exception &exception) {
        return fail(ErrorCode::Format,
                    fmt::format("the simulator worker's {} is not understood", what),
                    "Check that accelopt and nkisim are of the same version.",
                    fmt::format("{}: {}", exception.what(), text.substr(0, 300)));
    }
}

} // namespace

std::string encode(const WorkerHello &hello)
{
    return line({{"kind", "hello"},
                 {"protocol", hello.protocol},
                 {"software", hello.software},
                 {"model_version", hello.modelVersion}});
}

std::string encodeUnfit(const Error &error)
{
    Json json = errorJson(error);
    json["kind"] = "unfit";
    return line(json);
}

std::string encode(const JudgeRequest &request)
{
    Json tensors = Json::array();
    for (const oracle::SeedTensors &seed : request.tensors)
        tensors.push_back({{"seed", seed.seed},
                           {"suite", seed.suite},
                           {"inputs", seed.inputs},
                           {"results", seed.results},
                           {"noise", seed.noise}});
    return line({{"kind", "judge"},
                 {"id", request.id},
                 {"source", toBase64(request.source)},
                 {"task",
                  {{"folder", request.taskFolder},
                   {"shape", request.shapeName},
                   {"hash", request.taskHash}}},
                 {"device", request.device},
                 {"tensors", std::move(tensors)},
                 {"check", checkName(request.check)},
                 {"quick_flops", request.quickFlops},
                 {"sampling_seed", request.samplingSeed},
                 {"lines", request.lines == oracle::LineCosts::Include}});
}

std::string encode(const PoolQuestion &question, std::int64_t id)
{
    Json inputs = Json::array();
    for (const InputChoice &choice : question.inputs)
        inputs.push_back({{"seed", choice.seed}, {"suite", choice.suite}});
    return line({{"kind", "ask"},
                 {"id", id},
                 {"source", toBase64(question.source)},
                 {"inputs", std::move(inputs)},
                 {"check", checkName(question.check)},
                 {"quick_flops", question.quickFlops},
                 {"sampling_seed", question.samplingSeed},
                 {"lines", question.lines == oracle::LineCosts::Include}});
}

std::string encode(const JudgeReply &reply)
{
    if (reply.error)
        return line({{"id", reply.id}, {"error", errorJson(*reply.error)}});
    const bool hasProfile = reply.verdict.status == VerdictStatus::Correct ||
                            reply.verdict.status == VerdictStatus::Suspicious;
    return line({{"id", reply.id},
                 {"verdict", reply.verdict},
                 {"profile", hasProfile ? Json(reply.profile) : Json()},
                 {"layout", reply.layout},
                 {"printed", reply.printed},
                 {"seconds", reply.seconds}});
}

Result<WorkerHello> decodeHello(std::string_view text)
{
    auto unfit = decoded<std::optional<Error>>(text, "greeting",
                                               [](const Json &json) -> std::optional<Error> {
                                                   if (json.at("kind") == "unfit")
                                                       return errorOf(json);
                                                   return std::nullopt;
                                               });
    if (!unfit)
        return tl::unexpected(unfit.error());
    if (*unfit)
        return tl::unexpected(**unfit);
    ACCELOPT_TRY(WorkerHello hello, decoded<WorkerHello>(text, "greeting", [](const Json &json) {
                     WorkerHello made;
                     json.at("protocol").get_to(made.protocol);
                     json.at("software").get_to(made.software);
                     json.at("model_version").get_to(made.modelVersion);
                     return made;
                 }));
    if (hello.protocol != kWorkerProtocol)
        return fail(ErrorCode::Environment,
                    fmt::format("the simulator worker speaks version {} of its protocol, this "
                                "program version {}",
                                hello.protocol, kWorkerProtocol),
                    "Use the nkisim that was installed together with this program.");
    return hello;
}

Result<JudgeRequest> decodeRequest(std::string_view text)
{
    return decoded<JudgeRequest>(text, "question", [](const Json &json) {
        JudgeRequest request;
        if (json.at("kind") != "judge")
            throw Json::other_error::create(501, "kind is not judge", nullptr);
        json.at("id").get_to(request.id);
        request.source = fromBase64(json.at("source").get<std::string>());
        json.at("task").at("folder").get_to(request.taskFolder);
        json.at("task").at("shape").get_to(request.shapeName);
        json.at("task").at("hash").get_to(request.taskHash);
        json.at("device").get_to(request.device);
        for (const Json &seed : json.at("tensors"))
            request.tensors.push_back({seed.at("seed").get<std::uint64_t>(),
                                       seed.at("inputs").get<std::vector<std::string>>(),
                                       seed.at("results").get<std::vector<std::string>>(),
                                       seed.at("suite").get<std::string>(),
                                       seed.value("noise", std::vector<double>())});
        request.check = checkOf(json.at("check").get<std::string>());
        json.at("quick_flops").get_to(request.quickFlops);
        json.at("sampling_seed").get_to(request.samplingSeed);
        request.lines =
            json.at("lines").get<bool>() ? oracle::LineCosts::Include : oracle::LineCosts::Omit;
        return request;
    });
}

Result<NumberedQuestion> decodeQuestion(std::string_view text)
{
    return decoded<NumberedQuestion>(text, "question", [](const Json &json) {
        NumberedQuestion asked;
        json.at("id").get_to(asked.id);
        asked.question.source = fromBase64(json.at("source").get<std::string>());
        for (const Json &choice : json.at("inputs"))
            asked.question.inputs.push_back(
                {choice.at("seed").get<std::uint64_t>(), choice.at("suite").get<std::string>()});
        asked.question.check = checkOf(json.at("check").get<std::string>());
        json.at("quick_flops").get_to(asked.question.quickFlops);
        json.at("sampling_seed").get_to(asked.question.samplingSeed);
        asked.question.lines =
            json.at("lines").get<bool>() ? oracle::LineCosts::Include : oracle::LineCosts::Omit;
        return asked;
    });
}

Result<JudgeReply> decodeReply(std::string_view text)
{
    return decoded<JudgeReply>(text, "answer", [](const Json &json) {
        JudgeReply reply;
        json.at("id").get_to(reply.id);
        if (const auto error = json.find("error"); error != json.end()) {
            reply.error = errorOf(*error);
            return reply;
        }
        json.at("verdict").get_to(reply.verdict);
        if (!json.at("profile").is_null())
            json.at("profile").get_to(reply.profile);
        json.at("layout").get_to(reply.layout);
        json.at("printed").get_to(reply.printed);
        json.at("seconds").get_to(reply.seconds);
        return reply;
    });
}

} // namespace accelopt::profiling
