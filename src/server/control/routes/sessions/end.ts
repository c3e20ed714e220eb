import * as z from 'zod';
import { reference } from '../../../../contract/entities.ts';
import { apiError, fieldError } from '../../../../contract/errors.ts';
import { exampleInt, Id, optionalInt } from '../../../../contract/schemas/primitives.ts';
import { epochSeconds } from '../../../lib/clock.ts';
import { endSession, listStartedSessions } from '../../../sessions/end-sessions.ts';
import type { Reader } from '../../../store/store.ts';
import type { Session } from '../../../store/tables.ts';
import { defineRoute } from '../../define.ts';

export default defineRoute({
  capability: 'maintain',
  id: 'control.end-sessions',
  title: 'End sessions',
  description:
    'Ends one session, all sessions of a user, or all sessions of a client: specify exactly one of the three. Their tokens are rejected from the next request on. A session of a browser ends with those of the applications that it led to, and each with those that its tokens started.',
  method: 'DELETE',
  path: '/sessions',
  audit: { kind: 'administration', isChange: true, targets: { query: ['sessionId', 'userId', 'clientId'] } },
  request: {
    query: {
      sessionId: Id.optional().meta({
        description: 'Session to end',
        examples: ['64b0c0ffee00000000000003'],
        ...reference('session', ['id']),
      }),
      userId: Id.optional().meta({
        description: 'End all sessions of this user',
        examples: ['alice'],
        ...reference('user', ['id']),
      }),
      clientId: Id.optional().meta({
        description: 'End all sessions of this client',
        examples: ['billing-service'],
        ...reference('client', ['id']),
      }),
    },
  },
  response: {
    status: 200,
    body: z.strictObject({
      ended: exampleInt(3, 'Number of sessions that were ended'),
      applications: optionalInt(
        2,
        'How many of them ended with the session of a browser, which had led to their applications, or with one whose token had started them',
      ),
    }),
  },
  errors: ['SESSION_NOT_FOUND', 'FIELD_MISSING'],

  async handle({ query }, { store, clock }) {
    assertOneSelector(query);
    const now = epochSeconds(clock);
    return store.transaction(async (tx) => {
      const selected = await findSessions(tx, query);
      const isActive = ({ endsAt }: Session) => endsAt > now;
      const active = selected.filter(isActive);
      if (query.sessionId !== undefined && active.length === 0) throw apiError('SESSION_NOT_FOUND');
      const started = await Promise.all(active.map((session) => listStartedSessions(tx, session)));
      const applications = new Set(
        started
          .flat()
          .filter(isActive)
          .map(({ sessionId }) => sessionId),
      );
      for (const session of selected) await endSession(tx, session);
      const ended = new Set([...active.map(({ sessionId }) => sessionId), ...applications]).size;
      return { ended, ...(applications.size === 0 ? {} : { applications: applications.size }) };
    });
  },
});

interface SessionSelector {
  readonly sessionId?: string | undefined;
  readonly userId?: string | undefined;
  readonly clientId?: string | undefined;
}

const choices = ['sessionId', 'userId', 'clientId'];

function assertOneSelector({ sessionId, userId, clientId }: SessionSelector): void {
  const selectors = [sessionId, userId, clientId].filter((value) => value !== undefined);
  if (selectors.length === 0)
    throw fieldError('FIELD_MISSING', choices, 'One of sessionId, userId and clientId is required.');
  if (selectors.length > 1)
    throw fieldError('FIELD_VALUE', choices, 'Specify only one of sessionId, userId and clientId.');
}

async function findSessions(reader: Pick<Reader, 'sessions'>, selector: SessionSelector): Promise<readonly Session[]> {
  const { sessionId, userId, clientId } = selector;
  if (userId !== undefined) return reader.sessions.find('userId', userId);
  if (clientId !== undefined) return reader.sessions.find('clientId', clientId);
  const session = await reader.sessions.get(sessionId ?? '');
  return session ? [session] : [];
}
