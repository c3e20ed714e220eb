/** The hand-written subcommands of `iam users`. */
import type { Command } from 'commander';
import type { CliRuntime } from '../../context.ts';
import { addControlList, addUsersFactors } from '../control-lists.ts';
import { addUsersGet } from './get.ts';
import { addUsersInvite } from './invite.ts';
import { addUsersRevokeConsent } from './revoke-consent.ts';
import { addUsersSetPassword } from './set-password.ts';

export function addUsers(noun: Command, runtime: CliRuntime): void {
  addControlList(noun, runtime);
  addUsersGet(noun, runtime);
  addUsersFactors(noun, runtime);
  addUsersInvite(noun, runtime);
  addUsersSetPassword(noun, runtime);
  addUsersRevokeConsent(noun, runtime);
}
