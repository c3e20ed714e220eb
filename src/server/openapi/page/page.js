/** Shows one of the two API documents. "Try it out" requests go to the server or sandbox that serves the page. */

followColorScheme();
const link = selectLink();
document.querySelector('header .source').href = link.dataset.source;
show(link.dataset).catch((error) => showNotice(`Cannot load the document: ${error.message}`));

/** Uses dark mode if the system does. */
function followColorScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const update = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', update);
  update();
}

function selectLink() {
  const name = new URLSearchParams(location.search).get('document') === 'control' ? 'control' : 'service';
  const found = document.querySelector(`nav a[href$="=${name}"]`);
  found.setAttribute('aria-current', 'page');
  return found;
}

async function show({ source, base }) {
  const response = await fetch(source);
  if (!response.ok) throw new Error(`the server returned ${response.status}`);
  const spec = await response.json();
  // The server URL in the document may have another host name, which the content security policy blocks.
  spec.servers = [{ url: new URL(base, location.href).href.replace(/\/$/, '') }];
  document.title = `${spec.info.title}: API document`;
  window.SwaggerUIBundle({
    spec,
    dom_id: '#document',
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    validatorUrl: null,
    requestInterceptor: markAsScript,
  });
}

/** The control plane rejects requests that a form could send. */
function markAsScript(request) {
  request.headers = { ...request.headers, 'X-Requested-With': 'XMLHttpRequest' };
  return request;
}

function showNotice(text) {
  const notice = document.createElement('p');
  notice.className = 'notice';
  notice.setAttribute('role', 'alert');
  notice.textContent = text;
  document.querySelector('main').replaceChildren(notice);
}
