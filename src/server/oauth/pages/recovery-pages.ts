/** The pages of account recovery. */
import { html, renderHiddenFields } from './html.ts';
import { type LoginPageForm, renderForm, renderLoginPage, renderSentCode } from './login-pages.ts';
import type { PageResponse } from './page-error.ts';

export function renderForgotPage(form: LoginPageForm, userName = ''): PageResponse {
  return renderLoginPage(
    form,
    'Forgot your password?',
    html`<p class="muted">A code is sent to the verified e-mail address and mobile number of the account.</p>
${renderForm(
  form,
  'recover',
  html`<label for="user_name">User name</label>
<input id="user_name" name="user_name" value="${userName}" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="254" autofocus>
<button>Send a code</button>`,
)}${renderForm(form, 'switch', html`<button class="subtle">Back to the login</button>`)}`,
  );
}

export interface ResetPage {
  readonly userName: string;
  /** The typed code, after an error. */
  readonly code?: string;
  /** The code that was sent; only with test features, for this machine. */
  readonly sentCode?: string | undefined;
}

export function renderResetPage(form: LoginPageForm, { userName, code, sentCode }: ResetPage): PageResponse {
  const hidden = renderHiddenFields({ user_name: userName });
  return renderLoginPage(
    form,
    'Set a new password',
    html`<p class="muted">If ${userName} has an account with a verified contact, a code was sent there. It is valid for ten minutes.</p>
${renderSentCode(sentCode)}
${renderForm(
  form,
  'reset',
  html`${hidden}<label for="code">Code</label>
<input id="code" name="code" value="${code ?? ''}" inputmode="numeric" autocomplete="one-time-code" required maxlength="100" autofocus>
<label for="new_password">New password</label>
<input id="new_password" name="new_password" type="password" autocomplete="new-password" required maxlength="1000" aria-describedby="rule">
<p class="muted" id="rule">At least 8 characters, no common password, and without your user name.</p>
<button>Set the password</button>`,
)}${renderForm(form, 'recover', html`${hidden}<button class="subtle">Send another code</button>`)}${renderForm(form, 'switch', html`<button class="subtle">Back to the login</button>`)}`,
  );
}
