/** Counts the round trips of a call: how often it waits for the database. */
import pg from 'pg';
import { vi } from 'vitest';

export interface RoundTrips {
  /** Statements sent while their connection was idle; those sent behind them without waiting belong to the same one. */
  readonly count: number;
  /** The names of all statements, those of one round trip in one entry. */
  readonly statements: readonly (readonly string[])[];
}

/** Statements that the server sends by itself, at any time. */
const isBackground = (name: string) => /^(commits\.sweep|login_events\.sweep|leases\.|replicas\.|show )/.test(name);

type Query = (this: pg.Client, ...parameters: unknown[]) => unknown;

/** Runs `work` and returns the round trips of all connections of this process. No other work may run at the same time. */
export async function countRoundTrips(work: () => Promise<unknown>): Promise<RoundTrips> {
  const original = pg.Client.prototype.query as unknown as Query;
  const openStatements = new WeakMap<pg.Client, number>();
  const current = new WeakMap<pg.Client, string[]>();
  const statements: string[][] = [];
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...parameters) {
    const name = describeStatement(parameters[0]);
    if (isBackground(name)) return original.apply(this, parameters) as never;
    const open = openStatements.get(this) ?? 0;
    if (open === 0) {
      const trip: string[] = [];
      current.set(this, trip);
      statements.push(trip);
    }
    current.get(this)?.push(name);
    openStatements.set(this, open + 1);
    return observeEnd(original, this, parameters, () => {
      openStatements.set(this, (openStatements.get(this) ?? 1) - 1);
    }) as never;
  } as Query as never);
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return { count: statements.length, statements };
}

function describeStatement(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const { name, text } = statement as { name?: string; text: string };
  return name ?? text;
}

/** The pool passes a callback; other callers get a promise. */
function observeEnd(query: Query, client: pg.Client, parameters: readonly unknown[], onEnd: () => void): unknown {
  const at = parameters.findIndex((parameter) => typeof parameter === 'function');
  const callback = parameters[at] as ((...results: unknown[]) => void) | undefined;
  if (callback) {
    const observed = (...results: unknown[]) => {
      onEnd();
      callback(...results);
    };
    return query.apply(client, parameters.with(at, observed));
  }
  const result = query.apply(client, [...parameters]) as Promise<unknown>;
  result.then(onEnd, onEnd);
  return result;
}
