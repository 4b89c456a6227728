// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "core/runner/SearchSession.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <clocale>

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
    cli::addCheckCommands(program, action);
    cli::addShowCommands(program, action);
    cli::addBenchCommands(program, action);
    cli::addServiceCommands(program, action);
    cli::addDoctorCommand(program, action);
    try {
        program.parse(argc, argv);
    } catch (const CLI::CallForHelp &help) {
        return program.exit(help);
    } catch (const CLI::CallForAllHelp &help) {
        return program.exit(help);
    } catch (const CLI::CallForVersion &version) {
        return program.exit(version);
    } catch (const CLI::ExtrasError &) {
        std::string unknown;
        for (const std::string &word : program.remaining(true))
            if (unknown.empty() || (word.starts_with("-") && !unknown.starts_with("-")))
                unknown = word;
        return cli::tell({ErrorCode::WrongUse,
                          "there is no option '" + unknown + "'",
                          "See `" + commandLine(program) + " --help`",
                          {}});
    } catch (const CLI::ConversionError &error) {
        return cli::tell({ErrorCode::WrongUse,
                          notConverted(error.what()),
                          "See `" + commandLine(program) + " --help`",
                          {}});
    } catch (const CLI::ParseError &error) {
        if (program.get_subcommands().empty() && argc > 1 && argv[1][0] != '-')
            return cli::tell({ErrorCode::WrongUse,
                              std::string("there is no command '") + argv[1] + "'",
                              "See `accelopt --help`",
                              {}});
        return cli::tell(
            {ErrorCode::WrongUse, error.what(), "See `" + commandLine(program) + " --help`", {}});
    }
    return action ? action() : 2;
}
