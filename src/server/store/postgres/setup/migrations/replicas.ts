/** Version 2 of the schema: several servers at once. */
import type { Migration } from './migration.ts';

const statements = [
  'create table replicas (name text collate "C" primary key, issuer text not null, exclusive boolean not null, until timestamptz not null)',
  'create table login_events (id uuid primary key, replica text not null, body jsonb not null, at timestamptz not null default clock_timestamp())',
  'create index login_events_at on login_events (at)',
];

export const replicas: Migration = { name: '0002-replicas', statements };
