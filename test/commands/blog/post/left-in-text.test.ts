import { describe, expect, test } from 'vitest';
import { findLeftInText } from '../../../../src/commands/blog/post/left-in-text.ts';

describe('what a blog program would replace in a text', () => {
  test.each([
    ['{% include a.html %}', '{% include a.html %}'],
    ['See {{ site.title }}.', '{{ site.title }}'],
    ['{{< figure src="a.jpg" >}}', '{{< figure src="a.jpg" >}}'],
    ['{{% ref "a.md" %}}', '{{% ref "a.md" %}}'],
    ['`{{ code }}` and ``{% code %}``', null],
    ['```\n{{ code }}\n```\nText', null],
    ['~~~~ liquid\n{% code %}\n~~~\n{{ code }}\n~~~~\nText', null],
    ['```\nnot closed {{ code }}', null],
    ['```\ncode\n```\n{% after %}', '{% after %}'],
    ['Sets {a} and {{b', null],
    ['100 % {of} %}', null],
  ])('%j has the tag %j', (text, template) => {
    expect(findLeftInText(text).template).toBe(template);
  });

  test.each([
    ['![Ink](/assets/a.jpg)', '/assets/a.jpg'],
    ['![Ink](a.jpg "Title")', 'a.jpg'],
    ['![](<a b.jpg>)', 'a b.jpg'],
    ['[![Ink](../a.jpg)](https://x.example)', '../a.jpg'],
    ['<img alt="x" src="/a.png">', '/a.png'],
    ["<IMG SRC='a.png'>", 'a.png'],
    ['![[photo.png]] and ![[photo.png|300]]', 'photo.png'],
    ['![Ink]({{ site.baseurl }}/a.jpg)', '{{ site.baseurl }}/a.jpg'],
    ['![Ink](https://x.example/a.jpg) ![](//x.example/b.jpg) ![](data:image/png;base64,x)', null],
    ['![Ink](https://x.example/a.jpg) ![](b.jpg)', 'b.jpg'],
    ['`![Ink](a.jpg)`', null],
    ['[A link](a.jpg), ![[a note]]', null],
  ])('%j has the image %j', (text, image) => {
    expect(findLeftInText(text).image).toBe(image);
  });

  test.each(['{{', '{%', '![', '![](', '![[', '<img ', '<img src="', '`', '```\n'])(
    'a text full of %j is read to its end',
    (opening) => {
      expect(findLeftInText(opening.repeat(200_000 / opening.length)).template).toBeNull();
    },
  );
});
