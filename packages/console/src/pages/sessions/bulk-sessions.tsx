/** What can be done with several sessions. */
import type { ControlData } from '../../api/clients.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import type { BulkActions } from '../../components/selection/bulk-action.ts';
import { shortenId } from '../../components/subject-id.ts';
import { sessionQueries } from './end-sessions.tsx';

export type ListedSession = ControlData<'/sessions'>[number];

export const bulkSessions: BulkActions<ListedSession> = {
  noun: ['session', 'sessions'],
  keyOf: ({ sessionId }) => sessionId,
  nameOf: ({ sessionId, userName }) => (userName === undefined ? sessionId : `${sessionId} of ${userName}`),
  render: ({ sessionId, userName }) => (
    <>
      {userName === undefined ? undefined : <bdi>{userName} </bdi>}
      <span className="id">{shortenId(sessionId)}</span>
    </>
  ),
  isOwn: ({ userName }, subject) => userName !== undefined && userName === subject,
  changes: sessionQueries,
  actions: [
    {
      label: 'End',
      operations: ['DELETE /_iam/sessions'],
      isLockout: true,
      title: (sessions) => `End ${sessions}`,
      done: 'ended',
      effect: 'Their access tokens are rejected from the next request on, and their refresh tokens are revoked.',
      request:
        ({ sessionId }) =>
        ({ control }) =>
          control.DELETE('/sessions', { params: { query: { sessionId } } }),
      commands: (sessions) => [`sessions end --yes ${quotePositional(...sessions.map(({ sessionId }) => sessionId))}`],
    },
  ],
};
