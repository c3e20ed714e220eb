/** The part of the error table for the control plane. */
import type { ErrorEntry } from './error-entry.ts';

export const controlErrors = {
  ORIGIN_FOREIGN: {
    status: 403,
    category: 'forbidden',
    message: 'The control plane rejects requests from pages of other origins.',
    hint: 'Send the request from a page of this server, or without a browser.',
  },
  CSRF_HEADER_MISSING: {
    status: 403,
    category: 'forbidden',
    message: 'The browser request has neither Content-Type: application/json nor X-Requested-With.',
    hint: 'Send one of them. X-Requested-With may have any value. HTML forms cannot set either of them, which prevents CSRF.',
  },
  SNAPSHOT_EXISTS: {
    status: 412,
    category: 'taken',
    message: 'A snapshot with this name already exists.',
    hint: 'Choose another name, or replace the snapshot with --replace.',
  },
  TEST_FEATURES_OFF: {
    status: 412,
    category: 'conflict',
    setting: 'test-features',
    message: 'Test features are disabled on this server.',
    hint: 'If no real users depend on the server, start it with --test-features on.',
  },
  TOO_MANY_SNAPSHOTS: {
    status: 412,
    category: 'conflict',
    message: 'The maximum number of snapshots is reached.',
    hint: 'Delete snapshots with `iam state delete`.',
  },
  TOO_MANY_SANDBOXES: {
    status: 412,
    category: 'conflict',
    message: 'The maximum number of sandboxes is reached.',
    hint: 'Delete sandboxes with `iam sandbox delete`.',
  },
  STATE_NOT_EMPTY: {
    status: 412,
    category: 'conflict',
    message: 'The server has data besides what the first start created. An import would overwrite it.',
    hint: 'Export or save the state first, then import with force.',
  },
  STATE_NEWER: {
    status: 422,
    category: 'value',
    message: 'The dump was written by a newer version of the service.',
    hint: 'Import it into a server of that version or later.',
  },
  STATE_DAMAGED: {
    status: 422,
    category: 'value',
    message: 'The document is not a valid dump of this service.',
    hint: 'Import an unmodified export. The message names the position of the error.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;
