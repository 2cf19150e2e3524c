/** What a blog program would replace or bring along, and what is sent as it stands in the text. */
export interface LeftInText {
  /** The first tag of a template, such as `{% highlight ruby %}`; null if there is none. */
  readonly template: string | null;
  /** The address of the first picture that is part of the blog, such as `/assets/ink.jpg`; null if there is none. */
  readonly image: string | null;
}

/** Bounded, so that a text full of openings without an end takes no longer. */
const templateTag = /\{%.{1,200}?%\}|\{\{.{1,200}?\}\}/;
const imageTag =
  /!\[[^\]\n]{0,300}\]\(\s*(?:<([^<>\n]{1,300})>|((?:\{\{.{1,100}?\}\}|[^\s)<]){1,300}))|<img\s[^>]{0,300}?\bsrc\s*=\s*["']([^"'\n]{1,300})|!\[\[([^\]\n|]{1,300}\.(?:png|jpe?g|gif|webp|svg|avif))/gi;
/** `https:`, `data:`, `//cdn…`: what everybody can see. */
const wholeAddress = /^(?:[a-z][a-z\d+.-]*:|\/\/)/i;

/** Finds what stays in the text of a post. Code shows tags and pictures rather than using them, so it is not searched. */
export function findLeftInText(markdown: string): LeftInText {
  if (!/\{[{%]|!\[|<img\s/i.test(markdown)) return { template: null, image: null };
  const text = withoutCode(markdown);
  const images = [...text.matchAll(imageTag)].map(([, ...urls]) => urls.find((url) => url !== undefined));
  return {
    template: templateTag.exec(text)?.[0] ?? null,
    image: images.find((url) => url !== undefined && !wholeAddress.test(url)) ?? null,
  };
}

/** Markdown without blocks of code between fences and code in a line. */
function withoutCode(markdown: string): string {
  let fence: string | null = null;
  const lines = markdown.split('\n').filter((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null) {
      fence = mark ?? null;
      return mark === undefined;
    }
    if (mark?.startsWith(fence)) fence = null;
    return false;
  });
  return lines.join('\n').replace(/`+[^`\n]*`+/g, '');
}
