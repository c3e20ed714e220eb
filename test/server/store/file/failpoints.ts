/** Critical failpoints: disk operations by kind and file. */
import type { DiskOperation } from '../fake-disk.ts';

export type Failpoint = readonly [what: string, kind: DiskOperation['kind'], name: string, side: 'before' | 'after'];

export const failpoints: readonly Failpoint[] = [
  ['before an append', 'write', 'journal.jsonl', 'before'],
  ['after an append, before it is synced', 'syncData', 'journal.jsonl', 'before'],
  ['after an append was synced', 'syncData', 'journal.jsonl', 'after'],
  ['while a checkpoint is written', 'write', 'iam.json.tmp', 'after'],
  ['after a checkpoint was written and synced', 'sync', 'iam.json.tmp', 'after'],
  ['before the previous checkpoint is renamed', 'rename', 'iam.json iam.previous.json', 'before'],
  ['after the previous checkpoint was renamed', 'rename', 'iam.json iam.previous.json', 'after'],
  ['before the new checkpoint is renamed', 'rename', 'iam.json.tmp iam.json', 'before'],
  ['after the new checkpoint was renamed', 'rename', 'iam.json.tmp iam.json', 'after'],
  ['before the folder is synced', 'syncFolder', 'store', 'before'],
  ['after the folder was synced', 'syncFolder', 'store', 'after'],
  ['after the next segment was created', 'sync', 'journal.next.jsonl', 'after'],
  ['after the old segment was renamed', 'rename', 'journal.jsonl journal.000000000001.jsonl', 'after'],
  ['after the next segment was renamed', 'rename', 'journal.next.jsonl journal.jsonl', 'after'],
  ['before an old segment is removed', 'remove', 'journal.000000000001.jsonl', 'before'],
  ['after an old segment was removed', 'remove', 'journal.000000000001.jsonl', 'after'],
];
