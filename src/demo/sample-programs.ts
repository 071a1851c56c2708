import type { AgentProgram } from './agent-program.js';

/** The sample agents by name. Each is loaded when it is asked for, so that a process carries only its own. */
export const SAMPLE_PROGRAMS: ReadonlyMap<string, () => Promise<AgentProgram>> = new Map([
  ['weekly-report-agent', async () => (await import('./agents/weekly-report-agent.js')).weeklyReportAgent],
  ['spreadsheet-agent', async () => (await import('./agents/spreadsheet-agent.js')).spreadsheetAgent],
  ['pivot-agent', async () => (await import('./agents/pivot-agent.js')).pivotAgent],
  ['orders-agent', async () => (await import('./agents/orders-agent.js')).createOrdersAgent()],
  ['hr-leave-agent', async () => (await import('./agents/hr-leave-agent.js')).createHrLeaveAgent()],
  ['glossary-agent', async () => (await import('./agents/glossary-agent.js')).glossaryAgent],
  ['chat-agent', async () => (await import('./agents/chat-agent.js')).chatAgent],
  ['invoices-agent', async () => (await import('./agents/invoices-agent.js')).createInvoicesAgent()],
  ['refunds-agent', async () => (await import('./agents/refunds-agent.js')).createRefundsAgent()],
  ['calendar-agent', async () => (await import('./agents/calendar-agent.js')).createCalendarAgent()],
  ['mail-agent', async () => (await import('./agents/mail-agent.js')).createMailAgent()],
  ['log-inspection-agent', async () => (await import('./agents/log-inspection-agent.js')).logInspectionAgent],
  ['deployment-agent', async () => (await import('./agents/deployment-agent.js')).createDeploymentAgent()],
  [
    'knowledge-search-agent',
    async () => (await import('./agents/knowledge-search-agent.js')).createKnowledgeSearchAgent(),
  ],
  ['travel-agent', async () => (await import('./agents/travel-agent.js')).createTravelAgent()],
]);
