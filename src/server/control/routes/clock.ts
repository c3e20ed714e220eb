/** GET /_iam/clock */
import { ClockView, toClockView } from '../clock-state.ts';
import { defineRoute } from '../define.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.clock',
  title: 'Shows the clock of the server',
  description: 'Everything that the server dates, and everything that ends, goes by it.',
  method: 'GET',
  path: '/clock',
  audit: { kind: 'read', targets: {} },
  status: [200, 401, 403, 500],
  request: {},
  response: { status: 200, body: ClockView },
  errors: [],

  handle: async (_input, { clock }) => toClockView(clock),
});
