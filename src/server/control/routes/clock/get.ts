import { defineRoute } from '../../define.ts';
import { ClockView, toClockView } from './clock-state.ts';

export default defineRoute({
  capability: 'read',
  id: 'control.clock',
  title: 'Show the server clock',
  description: 'All timestamps and expiries of the server use this clock.',
  method: 'GET',
  path: '/clock',
  audit: { kind: 'read', targets: {} },
  request: {},
  response: { status: 200, body: ClockView },
  errors: [],

  handle: async (_input, { clock }) => toClockView(clock),
});
