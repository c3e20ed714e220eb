import * as z from 'zod';
import { apiError, fieldError } from '../../../../contract/errors.ts';
import { exampleText } from '../../../../contract/schemas/primitives.ts';
import { sensitive } from '../../../../contract/sensitive.ts';
import { signInLevels } from '../../../../contract/testing/sign-in-levels.ts';
import { startBrowserWithoutPassword } from '../../../auth/sign-in.ts';
import { hasTestFeatures } from '../../../config/settings.ts';
import { describeLogin } from '../../../sessions/browser-sessions.ts';
import { defineRoute } from '../../define.ts';
import { assertOneUser, hasUser, userChoice, userChoices } from '../sessions/user-choice.ts';

/** What the cookie methods of browser automation accept, such as those of Playwright and Selenium. */
const Cookie = z
  .strictObject({
    name: exampleText('iam-3f2a9c01b7de'),
    value: sensitive(z.string(), 'secret').meta({ examples: ['bG9uZy1yYW5kb20tdGV4dA'] }),
    url: exampleText('http://127.0.0.1:8080', 'Where the browser sends it'),
    httpOnly: z.boolean(),
    secure: z.boolean(),
    sameSite: z.literal('Lax'),
  })
  .meta({ id: 'BrowserCookie' });

export default defineRoute({
  capability: 'maintain',
  id: 'control.create-browser-session',
  title: 'Log a user in to a browser without a password',
  description:
    'A test feature: starts the session of a browser at an authentication level and returns its cookie. A browser with this cookie is logged in at the authorization endpoint, as after the login page: applications get their codes without a form, unless they ask for a new login. Specify exactly one of userName and userId. A locked user is rejected.',
  method: 'POST',
  path: '/browser-sessions',
  audit: { kind: 'administration', targets: { response: ['userId', 'sessionId'] } },
  request: {
    body: z.strictObject({
      ...userChoice,
      level: z.enum(signInLevels).default('AUTH-BASIC').describe('Authentication level'),
    }),
  },
  response: {
    status: 201,
    body: z
      .strictObject({
        cookie: Cookie,
        userId: exampleText('alice'),
        sessionId: exampleText('64b0c0ffee00000000000003'),
      })
      .meta({ id: 'BrowserSession', description: 'A browser session, and the cookie that it is found by.' }),
  },
  errors: ['TEST_FEATURES_OFF', 'FIELD_MISSING', 'FIELD_VALUE', 'USER_NOT_FOUND', 'USER_LOCKED', 'CLIENT_NOT_FOUND'],
  openapiExamples: { body: { userName: 'alice@example.com', level: 'AUTH-MFA' } },

  async handle({ body }, context) {
    if (!hasTestFeatures(context.settings)) throw apiError('TEST_FEATURES_OFF');
    assertOneUser(body);
    if (!hasUser(body)) throw fieldError('FIELD_MISSING', userChoices, 'One of userName and userId is required.');
    return describeLogin(await startBrowserWithoutPassword(body, context), context);
  },
});
