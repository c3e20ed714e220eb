/** All versions of the schema, oldest first. */
import { browserSessions } from './browser-sessions.ts';
import { clientTickets } from './client-tickets.ts';
import { initial } from './initial.ts';
import type { Migration } from './migration.ts';
import { startedSessions } from './started-sessions.ts';

export const migrations: readonly Migration[] = [initial, browserSessions, startedSessions, clientTickets];
