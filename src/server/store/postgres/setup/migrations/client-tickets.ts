/** Codes and requests of logins, by the client that they are for: they end with a change of it. */
import type { Migration } from './migration.ts';

export const clientTickets: Migration = {
  name: '0004-client-tickets',
  statements: [
    'alter table "tickets" add column "client_id" text collate "C"',
    `update "tickets" set "client_id" = body->>'clientId'`,
    'create index "tickets_client_id" on "tickets" ("client_id", key) where "client_id" is not null',
  ],
};
