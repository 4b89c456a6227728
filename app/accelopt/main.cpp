// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/CalibrateCommand.h"
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "core/domain/NamesLike.h"
#include "core/runner/SearchSession.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <clocale>
#include <string>
#include <vector>

namespace {

/// "accelopt bench table": the sub-commands that were named.
std::string commandLine(const CLI::App &program)
{
    std::string text = program.get_name();
    for (const CLI::App *chosen = &program; !chosen->get_subcommands().empty();) {
        chosen = chosen->get_subcommands().front();
        text += " " + chosen->get_name();
    }
    return text;
}

/// The deepest command that was named.
const CLI::App *chosenCommand(const CLI::App &program)
{
    const CLI::App *chosen = &program;
    while (!chosen->get_subcommands().empty())
        chosen = chosen->get_subcommands().front();
    return chosen;
}

/// The first option that no command knows; else the first word that is too many; else empty.
std::string unknownWord(const CLI::App &program)
{
    std::string unknown;
    for (const std::string &word : program.remaining(true))
        if (unknown.empty() || (word.starts_with("-") && !unknown.starts_with("-")))
            unknown = word;
    return unknown;
}

/// True when a command of the chosen one is still to be named.
bool takesCommands(const CLI::App &program)
{
    const auto anyCommand = [](const CLI::App *) { return true; };
    return !chosenCommand(program)->get_subcommands(anyCommand).empty();
}

accelopt::Error unknownWordError(const CLI::App &program, const std::string &word)
{
    const CLI::App *const command = chosenCommand(program);
    const bool isOption = word.starts_with("-");
    std::vector<std::string> names;
    if (isOption)
        for (const CLI::Option *option : command->get_options())
            for (const std::string &name : option->get_lnames())
                names.push_back("--" + name);
    else
        for (const CLI::App *other :
             command->get_subcommands([](const CLI::App *) { return true; }))
            names.push_back(other->get_name());
    std::string meant;
    for (const std::string &name : accelopt::namesLike(word.substr(0, word.find('=')), names))
        meant += (meant.empty() ? "Did you mean " : " or ") + name;
    const std::string what =
        isOption ? "there is no option '" + word + "'"
        : takesCommands(program)
            ? "there is no command '" + word + "'"
            : "'" + word + "' is one word too many for `" + commandLine(program) + "`";
    return {accelopt::ErrorCode::WrongUse,
            what,
            (meant.empty() ? "" : meant + "? ") + "See `" + commandLine(program) + " --help`",
            {}};
}

/// "-N takes a whole number, not 1.5" for CLI11's "Could not convert: -N = 1.5".
std::string notConverted(const std::string &told)
{
    const std::size_t colon = told.find(": ");
    const std::size_t equals = told.find(" = ");
    if (colon == std::string::npos || equals == std::string::npos || equals < colon)
        return told;
    const std::string option = told.substr(colon + 2, equals - colon - 2);
    const bool anyNumber =
        option.starts_with("--t") || option == "--budget-usd" || option == "--budget-minutes";
    return option + (anyNumber ? " takes a number, not " : " takes a whole number, not ") +
           told.substr(equals + 3);
}

} // namespace

// The terminal program: parses the command line and hands over to the command chosen.
int main(int argc, char **argv)
{
    using namespace accelopt;
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("accelopt"));
    // Numbers in files and JSON are written the same everywhere.
    std::setlocale(LC_NUMERIC, "C");

    CLI::App program{
        "AccelOpt Workbench: agents make AWS Trainium NKI kernels faster under a person's eyes"};
    program.name("accelopt");
    program.set_version_flag("--version", runner::softwareVersion());
    program.require_subcommand(1);
    cli::Action action;
    cli::addRunCommand(program, action);
    cli::addMemoryCommand(program, action);
    cli::addCheckCommand(program, action);
    cli::addProfileCommand(program, action);
    cli::addAuditCommand(program, action);
    cli::addCalibrateCommand(program, action);
    cli::addShowCommands(program, action);
    cli::addBenchCommands(program, action);
    cli::addServiceCommands(program, action);
    cli::addDoctorCommand(program, action);
    cli::addOracleCommand(program, action);
    try {
        program.parse(argc, argv);
    } catch (const CLI::CallForHelp &help) {
        return program.exit(help);
    } catch (const CLI::CallForAllHelp &help) {
        return program.exit(help);
    } catch (const CLI::CallForVersion &version) {
        return program.exit(version);
    } catch (const CLI::ExtrasError &) {
        return cli::tell(unknownWordError(program, unknownWord(program)));
    } catch (const CLI::ConversionError &error) {
        return cli::tell({ErrorCode::WrongUse,
                          notConverted(error.what()),
                          "See `" + commandLine(program) + " --help`",
                          {}});
    } catch (const CLI::ParseError &error) {
        // "--taks silu" for "--task silu" lacks an option because of another that is not known,
        // and a command that is none lacks the one that was meant.
        const std::string unknown = unknownWord(program);
        if (unknown.starts_with("-") || (!unknown.empty() && takesCommands(program)))
            return cli::tell(unknownWordError(program, unknown));
        return cli::tell(
            {ErrorCode::WrongUse, error.what(), "See `" + commandLine(program) + " --help`", {}});
    }
    return action ? action() : 2;
}
