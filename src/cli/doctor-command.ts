import type { Command } from 'commander';
import { type DoctorReport, doctorReportCodec } from '../wire/doctor.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { EXIT } from './exit-codes.js';
import { momentOf } from './local-time.js';
import { printable } from './printable.js';
import { askServer } from './server-command.js';

/** `doctor`: what nobody complains of and somebody should know. Exits with 1 where calls fail by it. */
export function addDoctorCommand(program: Command, services: CliServices, act: Act): void {
  const command = program
    .command('doctor')
    .description('show what a server found wrong with its agents, rules, deadlines and weights');
  askServer(command, services, act, async (reach) => {
    const report = await reach.doctor();
    const fails = report.findings.some(({ severity }) => severity === 'error');
    return {
      text: doctorText(report),
      wire: doctorReportCodec.encode(report),
      exitCode: fails ? EXIT.notRouted : EXIT.done,
    };
  });
}

/** A line a finding, with what to do about it below it and its like; how old they are, last. Ends with a newline. */
function doctorText({ checkedAt, findings, leftOut }: DoctorReport): string {
  const checked = `Checked at ${momentOf(checkedAt)}, as every five minutes`;
  if (findings.length === 0) return `${checked}: nothing was found.\n`;
  const lines = findings.flatMap(({ severity, sentence, advice }, index) => [
    `${severity.padEnd(7)}  ${printable(sentence)}`,
    ...(findings[index + 1]?.advice === advice ? [] : [`${' '.repeat(9)}${printable(advice)}`]),
  ]);
  const rest = leftOut > 0 ? [`and ${leftOut} more`] : [];
  return `${[...lines, ...rest, `${checked}.`].join('\n')}\n`;
}
