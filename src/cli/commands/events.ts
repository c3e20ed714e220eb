/** `iam events`: prints what happens on a server while it happens. */
import type { Command } from 'commander';
import { ClientError } from '../../client/errors.ts';
import type { ServerSentEvent } from '../../client/event-stream.ts';
import { addCommand, type CommandDescription, setAction } from '../command.ts';
import type { CliRuntime, Context } from '../context.ts';
import { ControlPlaneError } from '../errors.ts';
import { buildListShape, controlPlaneNote } from '../request/control-plane.ts';
import { addFieldOption, createField } from '../request/field-options.ts';

const path = '/_iam/events';
const columns = ['topic', 'summary', 'id', 'data'];

const eventsText: Omit<CommandDescription, 'title'> = {
  description: `Runs until Ctrl-C, until the server stops, or until --count events are printed. A server that stops or a lost connection does not lose events: continue with --after and the id of the last one. ${controlPlaneNote} The topic inbox shows codes and requires the roles of \`iam inbox list\`.`,
  effect: 'read',
  live: true,
  examples: [
    { title: 'The clock and the faults of a server', command: '--topics clock,faults --count 2' },
    { title: 'One JSON object per line, for a script', command: '--topics clock -o jsonl --count 1' },
  ],
};

export function addEvents(program: Command, runtime: CliRuntime, title: string): void {
  const command = addCommand(program, 'events', { title, ...eventsText })
    .option(
      '--topics <list>',
      'one or more of inbox, requests, audit, clock, faults, separated by commas; default requests,clock,faults',
    )
    .option('--after <id>', 'only events after this one');
  addFieldOption(
    command,
    createField(['count'], { type: 'integer', description: 'end after this many events' }, false),
  );
  setAction(command, runtime, (context, _, { topics, after, count }) =>
    printEvents(context, { topics: topics as string | undefined, after: after as string | undefined }, count as number),
  );
}

async function printEvents(
  context: Context,
  query: { readonly topics: string | undefined; readonly after: string | undefined },
  count = Number.POSITIVE_INFINITY,
): Promise<void> {
  const pages = async function* () {
    let printed = 0;
    for await (const event of streamEvents(context, query)) {
      yield [toRow(event)];
      printed += 1;
      if (printed >= count) return;
    }
  };
  await context.printer.list(pages(), { ...buildListShape(columns, 3), text: ['summary'] });
}

/** Reads events until the server stops or the command is interrupted. @throws ControlPlaneError */
export async function* streamEvents(
  context: Context,
  query: { readonly topics: string | undefined; readonly after?: string | undefined },
): AsyncGenerator<ServerSentEvent> {
  const client = await context.connect();
  try {
    yield* client.events(path, { query, signal: context.io.signal });
  } catch (error) {
    throw error instanceof ClientError ? new ControlPlaneError(error) : error;
  }
}

function toRow({ id, event, data }: ServerSentEvent) {
  return { topic: event, summary: summarize(data), id, data };
}

interface EventContent {
  readonly message?: { readonly to?: string; readonly purpose?: string; readonly code?: string };
  readonly request?: {
    readonly operation?: string;
    readonly method: string;
    readonly path: string;
    readonly status?: number;
  };
  readonly audit?: { readonly operation?: string; readonly result: string };
  readonly clock?: { readonly now: string; readonly frozen: boolean };
  readonly faults?: readonly unknown[];
  readonly missed?: readonly string[];
}

function summarize(data: unknown): string {
  const { message, request, audit, clock, faults, missed } = data as EventContent;
  if (message) return [message.to, message.purpose, message.code].filter((part) => part !== undefined).join(' ');
  if (request) return `${request.operation ?? `${request.method} ${request.path}`} ${request.status ?? 'dropped'}`;
  if (audit) return `${audit.operation ?? 'request'} ${audit.result}`;
  if (clock) return `${clock.now}${clock.frozen ? ' frozen' : ''}`;
  if (faults) return `${faults.length} rules`;
  return `events of ${missed?.join(', ') ?? 'some topics'} are missing: list them`;
}
