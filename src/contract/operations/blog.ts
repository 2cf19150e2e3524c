import * as z from 'zod/mini';
import {
  described,
  ifSet,
  lenientObject,
  named,
  oneOf,
  openObject,
  textField,
  timeField,
  timestampText,
  uuidText,
} from '../fields.ts';
import { lineForm, postSlugForm, textForm } from '../forms.ts';
import type { ServedOperation } from '../operation.ts';
import { pageOf, pageQuery } from '../pages.ts';

/** States that this repository's service knows. */
export const postStates = ['draft', 'scheduled', 'published'] as const;

/**
 * What this repository's service takes at most, in code points and items. The contract does not say, so it is checked only where a
 * user can say otherwise.
 */
export const postLimits = {
  title: 200,
  contentMd: 200_000,
  excerpt: 500,
  metaTitle: 200,
  metaDescription: 500,
  tag: 50,
  tags: 20,
} as const;

const beforeContent = {
  id: uuidText(),
  title: z.string(),
  slug: z.string(),
  excerpt: ifSet(z.string()),
};

const afterContent = {
  coverImageId: ifSet(uuidText()),
  coverUrl: ifSet(z.string()),
  coverImageUrl: ifSet(z.string()),
  tags: z.array(z.string()),
  featuredProductIds: z.array(uuidText()),
  status: oneOf(postStates),
  effectiveStatus: oneOf(postStates),
  publishedAt: ifSet(timestampText()),
  scheduledAt: ifSet(timestampText()),
  metaTitle: ifSet(z.string()),
  metaDescription: ifSet(z.string()),
  viewCount: z.int(),
  createdAt: timestampText(),
  updatedAt: timestampText(),
};

/** Blog post, section 2.2. */
const blogPost = named(
  lenientObject({ ...beforeContent, contentMd: z.string(), ...afterContent }),
  'BlogPost',
  'A blog post.',
);

const listedPost = named(
  lenientObject({
    ...beforeContent,
    contentSha256: textField('SHA-256 (hex) of the content in UTF-8, to compare it without reading it'),
    ...afterContent,
  }),
  'ListedBlogPost',
  'A blog post without its content.',
);

/**
 * Section 4 names `title` and `contentMd`. The optional fields are those that only the author can know; the contract does
 * not show whether the service accepts them.
 */
export const createBlogPost = {
  id: 'blog.create',
  method: 'POST',
  path: '/v1/stores/{storeId}/blog/posts',
  summary: 'Create a blog post',
  class: 'one-shot',
  body: openObject({
    title: textField('Title of the post', { form: lineForm(postLimits.title, { isFilled: true }) }),
    contentMd: textField('Content of the post', { remark: 'Markdown', form: textForm(postLimits.contentMd) }),
    slug: z.optional(textField('URL slug of the post', { form: postSlugForm })),
    excerpt: z.optional(
      textField('Summary of the post', { remark: 'shown in lists', form: textForm(postLimits.excerpt) }),
    ),
    coverImageId: z.optional(described(uuidText(), 'Cover image of the post', { remark: 'UUID' })),
    tags: z.optional(described(z.array(z.string()), 'Tags of the post')),
    featuredProductIds: z.optional(
      described(z.array(uuidText()), 'Products shown with the post', { remark: 'UUIDs' }),
    ),
    status: z.optional(oneOf(postStates, 'Status of the post: draft, scheduled or published')),
    scheduledAt: z.optional(timeField('When to publish a scheduled post', { example: '2030-01-31 09:00' })),
    publishedAt: z.optional(timeField('When a published post was first published', { remark: 'up to now' })),
    metaTitle: z.optional(
      textField('Title of the post', { remark: 'for search engines', form: lineForm(postLimits.metaTitle) }),
    ),
    metaDescription: z.optional(
      textField('Description of the post', {
        remark: 'for search engines',
        form: textForm(postLimits.metaDescription),
      }),
    ),
  }),
  response: blogPost,
  repeats: [{ field: 'title' }],
  service: {
    scope: 'blog:write',
    conflicts: true,
    success: [201],
    example: { title: 'Spring sale', contentMd: 'Everything is **20 %** off.', tags: ['sale'] },
  },
} as const satisfies ServedOperation;

export const listBlogPosts = {
  id: 'blog.list',
  method: 'GET',
  path: '/v1/stores/{storeId}/blog/posts',
  summary: 'List the blog posts, newest first',
  class: 'read',
  body: null,
  query: pageQuery({ slug: z.optional(textField('Only the post with this URL slug')) }),
  filters: { slug: { field: 'slug' } },
  response: pageOf(listedPost, 'BlogPost', 'Blog posts, newest first.'),
  isAddition: true,
  service: { scope: 'blog:read' },
} as const satisfies ServedOperation;

export const showBlogPost = {
  id: 'blog.show',
  method: 'GET',
  path: '/v1/stores/{storeId}/blog/posts/{postId}',
  summary: 'Show a blog post',
  class: 'read',
  body: null,
  response: blogPost,
  repeats: [{ field: 'id', parameter: 'postId' }],
  isAddition: true,
  service: { scope: 'blog:read' },
} as const satisfies ServedOperation;
