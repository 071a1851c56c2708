import { Command } from 'commander';
import type { Act } from './act.js';
import { addAgentsCommand } from './agents-command.js';
import { addChangesCommand } from './changes-command.js';
import type { CliServices } from './cli-services.js';
import { ALL_SETTINGS, addConfigFlags } from './config-flags.js';
import { addDispatchCommand } from './dispatch-command.js';
import { addDoctorCommand } from './doctor-command.js';
import { addEvaluateCommand } from './evaluate-command.js';
import { EXIT, failureOf } from './exit-codes.js';
import { addInstanceCommands } from './instance-commands.js';
import { addLabelsCommand } from './labels-command.js';
import { addManifestCommand } from './manifest-command.js';
import { addModelCommand } from './model-command.js';
import { printable } from './printable.js';
import { addRequestCommands } from './request-commands.js';
import { addRouteCommand } from './route-command.js';
import { addRoutesCommand } from './routes-command.js';
import { addRulesCommand } from './rules-command.js';
import { addServeCommands } from './serve-commands.js';
import { addSessionsCommand } from './sessions-command.js';
import { addStoreCommand } from './store-command.js';
import { addTicketsCommand } from './tickets-command.js';
import { addTrendCommand } from './trend-command.js';
import { addTuneCommand } from './tune-command.js';
import { addWatchCommand } from './watch-command.js';

/**
 * Runs one command line (without the program's own name) to its end and resolves with the exit code, see EXIT.
 * Never rejects: a failure is one sentence on stderr. `serve` and `demo` end by a signal.
 */
export async function runCli(argv: readonly string[], services: CliServices): Promise<number> {
  let exitCode: number = EXIT.done;
  const act: Act = (command, work) => {
    command.action(async (...given) => {
      exitCode = await work(...(given as Parameters<typeof work>));
    });
  };

  const program = new Command('agent-reach')
    .description('Say what you need; Agent-Reach finds the agent that can do it and gets it done.')
    .version(services.version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => services.stdout.write(text),
      writeErr: (text) => services.stderr.write(text),
    });
  addConfigFlags(program, ALL_SETTINGS);
  addServeCommands(program, services, act);
  addRouteCommand(program, services, act);
  addDispatchCommand(program, services, act);
  addRequestCommands(program, services, act);
  addAgentsCommand(program, services, act);
  addInstanceCommands(program, services, act);
  addDoctorCommand(program, services, act);
  addWatchCommand(program, services, act);
  addChangesCommand(program, services, act);
  addRoutesCommand(program, services, act);
  addTrendCommand(program, services, act);
  addSessionsCommand(program, services, act);
  addTicketsCommand(program, services, act);
  addTuneCommand(program, services, act);
  addLabelsCommand(program, services, act);
  addEvaluateCommand(program, services, act);
  addManifestCommand(program, services, act);
  addRulesCommand(program, services, act);
  addModelCommand(program, services, act);
  addStoreCommand(program, services, act);

  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    const { code, sentence } = failureOf(thrown);
    if (sentence !== undefined) services.stderr.write(`agent-reach: ${printable(sentence)}\n`);
    return code;
  }
}
