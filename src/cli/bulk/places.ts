/** Where a run writes: its ledger, the rows that were refused, and secrets. All are private files. */
import { rm, stat } from 'node:fs/promises';
import { jsonText } from '../runtime/control-characters.ts';
import { Appender } from './appender.ts';
import { Ledger, type LedgerContent, type LedgerHeading } from './ledger.ts';
import type { Places } from './performing.ts';
import type { BulkTools } from './tools.ts';

export interface PlaceNames {
  readonly ledger: string;
  readonly rejects: string;
  readonly secretTo: string | undefined;
}

export interface OpenPlaces extends Places {
  close(): Promise<void>;
}

export interface PlaceContent {
  readonly heading: LedgerHeading;
  /** What an earlier run left; its files are gone on with. */
  readonly before: LedgerContent | undefined;
  /** First line of the reject file. */
  readonly rejectHeading: string | undefined;
}

/** Opens the files; a first run overwrites none that is there. What can't be opened leaves everything as it was. */
export async function openPlaces(tools: BulkTools, names: PlaceNames, content: PlaceContent): Promise<OpenPlaces> {
  const { before, rejectHeading } = content;
  const opened: { close(): Promise<void> }[] = [];
  const make = async (file: string, flags: 'a' | 'ax') => {
    const appender = await Appender.open(file, flags).catch((error: NodeJS.ErrnoException) => {
      throw tools.usage(`${file} can't be made: ${error.code === 'EEXIST' ? 'it is there already' : error.message}.`);
    });
    opened.push(appender);
    return appender;
  };
  const close = async () => {
    for (const file of opened) await file.close();
  };
  const goesOn = before?.heading.rejects === names.rejects;
  if (!goesOn) await requireNothing(tools.usage, names.rejects);
  // A secret that can't be kept must not be made.
  const secrets = names.secretTo === undefined ? undefined : await make(names.secretTo, before ? 'a' : 'ax');
  try {
    if (before && !((await secrets?.isPrivate()) ?? true)) throw tools.usage(`Others can read ${names.secretTo}.`);
    // What it holds is sent again, and comes into it again where it is refused again.
    if (goesOn) await rm(names.rejects, { force: true });
    const ledger = await Ledger.open(names.ledger, content.heading, before);
    opened.push(ledger);
    const rejects = once(async () => {
      const appender = await make(names.rejects, 'ax');
      if (rejectHeading !== undefined) await appender.append(`${rejectHeading}\n`);
      return appender;
    });
    return {
      note: (entry) => ledger.note(entry),
      reject: async (text) => (await rejects()).append(`${text}\n`),
      keep: async (found) => secrets?.append(`${jsonText(found)}\n`),
      close,
    };
  } catch (error) {
    await close();
    if (!before && names.secretTo !== undefined) await rm(names.secretTo, { force: true });
    throw error;
  }
}

/** Found out before the first row, not at the first that is refused. */
async function requireNothing(usage: BulkTools['usage'], file: string): Promise<void> {
  if (await stat(file).catch(() => undefined)) throw usage(`${file} can't be made: it is there already.`);
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
