// SPDX-FileCopyrightText: 2026 AccelOpt Workbench contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/accelopt/Commands.h"
#include "app/accelopt/Terminal.h"
#include "core/runner/SearchSession.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>
#include <clocale>

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
    cli::addCheckCommands(program, action);
    cli::addShowCommands(program, action);
    cli::addBenchCommands(program, action);
    try {
        program.parse(argc, argv);
    } catch (const CLI::CallForHelp &help) {
        return program.exit(help);
    } catch (const CLI::CallForAllHelp &help) {
        return program.exit(help);
    } catch (const CLI::CallForVersion &version) {
        return program.exit(version);
    } catch (const CLI::ParseError &error) {
        std::string command = "accelopt";
        for (const CLI::App *chosen : program.get_subcommands())
            command += " " + chosen->get_name();
        return cli::tell({ErrorCode::WrongUse, error.what(), "See `" + command + " --help`", {}});
    }
    return action ? action() : 2;
}
