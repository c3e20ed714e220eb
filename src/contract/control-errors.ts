/** The part of the error table for the control plane. */
import type { ErrorEntry } from './error-entry.ts';

export const controlErrors = {
  ORIGIN_FOREIGN: {
    status: 403,
    category: 'forbidden',
    message: 'The control plane accepts no requests from pages of other origins.',
    hint: 'Send the request from a page of this server, or without a browser.',
  },
  CSRF_HEADER_MISSING: {
    status: 403,
    category: 'forbidden',
    message:
      'A page sent this request without Content-Type: application/json or X-Requested-With, which no form can send.',
    hint: 'Send one of them; X-Requested-With may have any value.',
  },
  SNAPSHOT_EXISTS: {
    status: 412,
    category: 'taken',
    message: 'There is a snapshot of this name.',
    hint: 'Choose another name, or ask for it to be replaced.',
  },
  TEST_FEATURES_OFF: {
    status: 412,
    category: 'conflict',
    setting: 'test-features',
    message: 'Test features are off on this server.',
    hint: 'Start the server with --test-features on if no real user depends on it.',
  },
  TOO_MANY_SNAPSHOTS: {
    status: 412,
    category: 'conflict',
    message: 'So many snapshots are kept that no other one is taken.',
    hint: 'Delete some of them first.',
  },
  TOO_MANY_SANDBOXES: {
    status: 412,
    category: 'conflict',
    message: 'So many sandboxes are there that no other one is made.',
    hint: 'Delete some of them first.',
  },
  STATE_NOT_EMPTY: {
    status: 412,
    category: 'conflict',
    message: 'There is more here than the first start made, and it would be lost.',
    hint: 'Export or save it first; then import with force.',
  },
  STATE_NEWER: {
    status: 422,
    category: 'value',
    message: 'The document was written by a newer version of the service.',
    hint: 'Import it into a server of that version.',
  },
  STATE_DAMAGED: {
    status: 422,
    category: 'value',
    message: 'The document is no state of this service.',
    hint: 'Import what an export gave, unaltered; the message names the place.',
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;
