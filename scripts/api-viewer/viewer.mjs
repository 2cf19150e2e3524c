// What `/docs` of the service runs in the browser: RapiDoc, in the colors that the reader's system asks for.
import 'rapidoc/src/rapidoc.js';

const themes = {
  light: { theme: 'light', bg: '#ffffff', text: '#1f2328', nav: '#f6f8fa', primary: '#0969da' },
  dark: { theme: 'dark', bg: '#0d1117', text: '#e6edf3', nav: '#161b22', primary: '#4493f8' },
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
}
