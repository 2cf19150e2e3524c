// What `/docs` of the service runs in the browser: RapiDoc, in the colors that the reader's system asks for.
import 'rapidoc/src/rapidoc.js';

const themes = {
  light: { theme: 'light', bg: '#ffffff', text: '#1f2328', nav: '#f6f8fa', primary: '#0969da' },
  dark: { theme: 'dark', bg: '#0d1117', text: '#e6edf3', nav: '#161b22', primary: '#4493f8' },
};

// RapiDoc's own colors of methods and of the search field are hard to read on these backgrounds.
const readable = {
  light: { get: '#0969da', post: '#1a7f37', put: '#bc4c00', patch: '#7d4e00', placeholder: '#59636e' },
  dark: { get: '#71b7ff', post: '#7ec699', put: '#f08d49', patch: '#e3b341', placeholder: '#9198a1' },
};

/** RapiDoc's variables: on the page and in the list of operations. */
const variables = {
  get: ['--blue', '--nav-get-color'],
  post: ['--green', '--nav-post-color'],
  put: ['--orange', '--nav-put-color'],
  patch: ['--yellow', '--nav-head-color'],
  placeholder: ['--placeholder-color'],
};

const isDark = window.matchMedia('(prefers-color-scheme: dark)');
isDark.addEventListener('change', paint);
paint();

function paint() {
  const { theme, bg, text, nav, primary } = isDark.matches ? themes.dark : themes.light;
  const attributes = {
    theme,
    'bg-color': bg,
    'text-color': text,
    'primary-color': primary,
    'nav-bg-color': nav,
    'nav-text-color': text,
    'nav-hover-text-color': primary,
  };
  const viewer = document.querySelector('rapi-doc');
  for (const [name, value] of Object.entries(attributes)) viewer.setAttribute(name, value);
  for (const [what, names] of Object.entries(variables)) {
    for (const name of names) viewer.style.setProperty(name, readable[theme][what]);
  }
}
