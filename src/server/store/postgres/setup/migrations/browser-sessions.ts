/** Sessions of browsers, by their cookie, and those of applications, by the browser session that started them. */
import type { Migration } from './migration.ts';

export const browserSessions: Migration = {
  name: '0002-browser-sessions',
  statements: [
    'alter table "sessions" add column "cookie" text collate "C" unique, add column "browser_session" text collate "C"',
    'create index "sessions_browser_session" on "sessions" ("browser_session", key) where "browser_session" is not null',
  ],
};
