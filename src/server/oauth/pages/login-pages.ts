/** The pages of a login: name and password, second factor, consent. */

import { focus, renderCodeField, renderSentCode, renderUserNameField } from './fields.ts';
import { type Html, html, renderHiddenFields } from './html.ts';
import { type LayoutOptions, renderPage } from './layout.ts';
import type { PageResponse } from './page-error.ts';

/** What every form of a login sends, beside its fields. */
export interface LoginPageForm extends Pick<LayoutOptions, 'status' | 'formTargets' | 'setCookie'> {
  /** Where forms are sent, with the authorization request as the query. */
  readonly action: string;
  readonly formToken: string;
  readonly application: string;
  /** What is wrong with what was typed. */
  readonly error?: string | undefined;
  /** What was done before. */
  readonly notice?: string | undefined;
}

export function renderLoginPage(form: LoginPageForm, title: string, content: Html): PageResponse {
  const { error, notice, status, formTargets, setCookie } = form;
  const messages = html`${error && html`<p class="error" role="alert">${error}</p>`}${notice && html`<p class="note" role="status">${notice}</p>`}`;
  return renderPage({ title, content: html`${messages}${content}`, status, formTargets, setCookie });
}

/** @param step undefined on a page with one step */
export function renderForm({ action, formToken }: LoginPageForm, step: string | undefined, fields: Html): Html {
  return html`<form method="post" action="${action}">
${renderHiddenFields({ step, form_token: formToken })}${fields}</form>
`;
}

/** A step that is a button. */
export function renderStep(form: LoginPageForm, step: string, text: string, fields?: Html): Html {
  return renderForm(form, step, html`${fields}<button class="subtle">${text}</button>`);
}

interface PasswordPage {
  readonly userName?: string | undefined;
  /** The user who is logged in already and can go on. */
  readonly currentUser?: string | undefined;
  /** Whether users can create an account. */
  readonly maySignUp?: boolean;
  /** Whether the browser has a certificate that users can have. */
  readonly hasCertificate?: boolean;
  /** OpenID providers to log in with. */
  readonly providers?: readonly string[];
  /** Users to log in as without a password; only with test features, for this machine. */
  readonly users?: readonly { readonly userId: string; readonly name: string }[] | undefined;
}

export function renderPasswordPage(
  form: LoginPageForm,
  { userName, currentUser, maySignUp = false, hasCertificate = false, providers = [], users = [] }: PasswordPage,
): PageResponse {
  const isKnown = userName !== undefined && userName !== '';
  return renderLoginPage(
    form,
    'Log in',
    html`<p class="muted">to continue to ${form.application}</p>
${
  currentUser !== undefined &&
  renderForm(form, 'continue', html`<button class="subtle row"><span>Continue as ${currentUser}</span></button>`)
}${renderForm(
  form,
  'password',
  html`${renderUserNameField('User name or e-mail', userName, !isKnown)}<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1000"${focus(isKnown)}>
<button>Log in</button>`,
)}${renderForm(form, 'forgot', html`${renderHiddenFields({ user_name: userName })}<button class="link">Forgot your password?</button>`)}${
  providers.length > 0 &&
  renderForm(
    form,
    'provider',
    html`${providers.map((name) => html`<button class="subtle" name="provider" value="${name}">Log in with ${name}</button>`)}`,
  )
}${hasCertificate && renderStep(form, 'certificate', 'Log in with a certificate')}${maySignUp && renderStep(form, 'sign-up', 'Create an account')}${renderStep(form, 'cancel', 'Cancel')}${
  users.length > 0 &&
  html`<h2>Test: log in as</h2>
${renderForm(
  form,
  'user',
  html`<label for="level">Level</label>
<select id="level" name="level"><option>AUTH-BASIC<option>AUTH-MFA</select>
${users.map(({ userId, name }) => html`<button class="subtle row" name="user_id" value="${userId}"><span>${name}</span><code>${shorten(userId)}</code></button>`)}`,
)}`
}`,
  );
}

function shorten(id: string): string {
  return id.length > 16 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id;
}

export function renderFactorPage(
  form: LoginPageForm,
  factors: readonly { readonly id: string; readonly contact: string }[],
): PageResponse {
  return renderLoginPage(
    form,
    'Confirm that it is you',
    html`<p class="muted">${form.application} asks for a second factor. Where shall the code go?</p>
${renderForm(
  form,
  'factor',
  html`${factors.map(({ id, contact }) => html`<button class="subtle row" name="factor" value="${id}"><span>${contact}</span></button>`)}`,
)}${renderStep(form, 'cancel', 'Cancel')}`,
  );
}

interface CodePage {
  readonly challenge: string;
  readonly factor: string;
  readonly contact: string;
  /** The code that was sent; only with test features, for this machine. */
  readonly sentCode?: string | undefined;
}

export function renderCodePage(form: LoginPageForm, { challenge, factor, contact, sentCode }: CodePage): PageResponse {
  const hidden = renderHiddenFields({ factor, contact });
  return renderLoginPage(
    form,
    'Enter the code',
    html`<p class="muted">A code was sent to ${contact}.</p>
${renderSentCode(sentCode)}
${renderForm(
  form,
  'code',
  html`${hidden}${renderHiddenFields({ challenge })}${renderCodeField()}<button>Continue</button>`,
)}${renderStep(form, 'factor', 'Send another code', hidden)}${renderStep(form, 'cancel', 'Cancel')}`,
  );
}

interface ConsentPage {
  readonly user: string;
  /** The scopes in words. */
  readonly rights: readonly string[];
  readonly isThirdParty: boolean;
  /** The code that the device shows, if the application is on one. */
  readonly deviceCode?: string | undefined;
  /** Where the browser goes then, if the application is on none. */
  readonly target?: string | undefined;
}

export function renderConsentPage(
  form: LoginPageForm,
  { user, rights, isThirdParty, deviceCode, target }: ConsentPage,
): PageResponse {
  return renderLoginPage(
    form,
    `Allow ${form.application}?`,
    html`${
      deviceCode &&
      html`<p class="note">Allow it only if your own device shows <code>${deviceCode}</code>. Otherwise the device of an attacker would be logged in as you.</p>`
    }<p>${form.application} wants to act for <b>${user}</b>${rights.length > 0 ? ':' : '.'}</p>
${rights.length > 0 && html`<ul>${rights.map((right) => html`<li>${right}</li>`)}</ul>`}
${isThirdParty && html`<p class="muted">It is an application of a third party.</p>`}
${target && html`<p class="muted">Your browser then returns to <b>${target}</b>.</p>`}
${renderForm(
  form,
  'consent',
  html`<button name="decision" value="allow">Allow</button><button class="subtle" name="decision" value="deny">Deny</button>`,
)}${renderStep(form, 'switch', 'Use another account')}`,
  );
}
