/** GET and POST /oauth2/device: the page on which a user types the code that a device shows (RFC 8628, 3.3). */
import * as z from 'zod';
import { textUpTo } from '../../contract/schemas/primitives.ts';
import { sensitive } from '../../contract/sensitive.ts';
import { defineOperation } from '../operations/define.ts';
import type { OperationContext } from '../request-context.ts';
import { type Browser, createFormToken, formatCookie, isFormToken, openBrowser } from '../sessions/browser-sessions.ts';
import { readDeviceRequest } from './device-request.ts';
import { continueLogin, type FormMessage, showErrors } from './login-flow.ts';
import { browserHeaders, pageTraits } from './page-traits.ts';
import { html } from './pages/html.ts';
import { renderForm, renderLoginPage } from './pages/login-pages.ts';
import { createExpiredPage } from './pages/message-page.ts';
import type { PageResponse } from './pages/page-error.ts';

export const userCodeParameter = sensitive(textUpTo(100), 'one-time');

const traits = { ...pageTraits, path: '/oauth2/device', status: [200, 400, 429, 500] } as const;

export const device = defineOperation({
  ...traits,
  id: 'oauth2.device',
  title: 'Type the code of a device',
  description:
    'The page of a device login (RFC 8628, 3.3), whose address the device shows. A code in the address is only filled in: the user confirms that the device shows the same one.',
  method: 'GET',
  audit: { kind: 'read', targets: {} },
  request: {
    query: {
      user_code: userCodeParameter
        .optional()
        .meta({ description: 'The code that the device shows', examples: ['BCDF-GHJK'] }),
    },
    headers: browserHeaders,
  },
  identifies: [],
  errors: ['AUTHORIZATION_INVALID'],
  async handle({ query, headers }, context) {
    return renderDevicePage(context, await openBrowser(context, headers.cookie), query.user_code);
  },
});

export const deviceByForm = defineOperation({
  ...traits,
  id: 'oauth2.device-form',
  title: 'Send the code of a device',
  description:
    'What the page of GET /oauth2/device sends. The login follows, and the user decides about the application on the device. Wrong codes count as wrong one-time codes.',
  method: 'POST',
  audit: { kind: 'authentication', targets: {} },
  request: {
    headers: browserHeaders,
    body: z
      .object({ form_token: sensitive(textUpTo(1000), 'one-time'), user_code: userCodeParameter })
      .meta({ id: 'DevicePageForm' }),
    form: true,
  },
  identifies: [],
  errors: ['AUTHORIZATION_INVALID', 'FORM_EXPIRED', 'DEVICE_CODE_INVALID', 'CODE_FAILURES'],
  openapiExamples: { body: { form_token: 'c2VjcmV0', user_code: 'BCDF-GHJK' } },
  async handle({ headers, body }, context) {
    const browser = await openBrowser(context, headers.cookie);
    if (!isFormToken(browser, body.form_token, context)) throw createExpiredPage('device');
    const errors = {
      codes: ['DEVICE_CODE_INVALID', 'CODE_FAILURES'],
      render: (message: FormMessage) => renderDevicePage(context, browser, body.user_code, message),
    };
    return showErrors(errors, async () => {
      const request = await readDeviceRequest(context, body.user_code);
      return continueLogin(context, { request, browser, isFresh: false });
    });
  },
});

function renderDevicePage(
  context: OperationContext,
  browser: Browser,
  typed = '',
  message: FormMessage = {},
): PageResponse {
  const form = {
    ...{ action: 'device', formToken: createFormToken(browser, context), application: '', formTargets: [] },
    setCookie: formatCookie(browser, context),
    ...message,
  };
  return renderLoginPage(
    form,
    'Log in on a device',
    html`<p class="muted">${
      typed !== '' && !message.error
        ? 'Go on only if your device shows this code, and you have just started to log in there.'
        : 'Type the code that your device shows.'
    }</p>
${renderForm(
  form,
  undefined,
  html`<label for="user_code">Code</label>
<input id="user_code" name="user_code" value="${typed}" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="100" autofocus>
<button>Continue</button>`,
)}`,
  );
}
