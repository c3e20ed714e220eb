/** A user as its page shows it. */
import type { ControlData } from '../../api/clients.ts';

export type ShownUser = ControlData<'/users/{id}'>;

/** Queries about users, and about the groups whose members they are. */
export const userQueries = ['users', 'groups'];
