/** Sessions that a token of another one started, and that end with it. */
import type { Migration } from './migration.ts';

export const startedSessions: Migration = {
  name: '0003-started-sessions',
  statements: [
    'alter table "sessions" add column "started_by" text collate "C"',
    'create index "sessions_started_by" on "sessions" ("started_by", key) where "started_by" is not null',
  ],
};
