/** Shows one of the two API documents. Calls that are tried go to the server, or the sandbox, that the page is of. */

followColours();
const link = chosenLink();
document.querySelector('header .source').href = link.dataset.source;
show(link.dataset).catch((error) => tell(`The document could not be read: ${error.message}`));

/** Dark where the reader's system is. */
function followColours() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

function chosenLink() {
  const chosen = new URLSearchParams(location.search).get('document') === 'control' ? 'control' : 'service';
  const found = document.querySelector(`nav a[href$="=${chosen}"]`);
  found.setAttribute('aria-current', 'page');
  return found;
}

async function show({ source, base }) {
  const response = await fetch(source);
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const spec = await response.json();
  // The address of the document may have another name for this server, which the page may not call.
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

/** The control plane refuses what a form could send as well. */
function markAsScript(request) {
  request.headers = { ...request.headers, 'X-Requested-With': 'XMLHttpRequest' };
  return request;
}

function tell(text) {
  const notice = document.createElement('p');
  notice.className = 'notice';
  notice.setAttribute('role', 'alert');
  notice.textContent = text;
  document.querySelector('main').replaceChildren(notice);
}
