import { type Static, Type } from 'typebox';
import { type Camel, codecOf } from './codec.js';
import { Time } from './schema-parts.js';

/** From what will fail to what is merely worth knowing. */
export const SEVERITIES = ['error', 'warning', 'note'] as const;

const FindingSchema = Type.Object({
  check: Type.String({ description: 'Which check found it: a stable name.' }),
  severity: Type.Enum([...SEVERITIES], {
    description: 'error: calls fail by it; warning: they will, or somebody is left out; note: worth knowing.',
  }),
  subject: Type.String({ description: 'What it is about: an agent, `agent_name/id`, an instance, a rule.' }),
  sentence: Type.String({ description: 'What was found, for a person.' }),
  advice: Type.String({ description: 'What to do about it.' }),
});
/** One thing that somebody should look at. */
export type Finding = Camel<Static<typeof FindingSchema>>;

export const DoctorReportSchema = Type.Object({
  checked_at: Time('When'),
  findings: Type.Array(FindingSchema, { description: 'The gravest first; at most 100 of each check.' }),
  left_out: Type.Integer({ description: 'Findings beyond those.' }),
});
export type DoctorReportWire = Static<typeof DoctorReportSchema>;
export type DoctorReport = Camel<DoctorReportWire>;

export const doctorReportCodec = codecOf<typeof DoctorReportSchema, DoctorReportWire>(DoctorReportSchema);
