import * as z from 'zod';
import { lenientObject, openObject, text, timestamp, uuid } from './fields.ts';
import type { Operation } from './operation.ts';

/** Blog post, section 2.2. */
export const blogPost = lenientObject({
  id: uuid(),
  title: z.string(),
  slug: z.string(),
  excerpt: z.string(),
  contentMd: z.string(),
  coverImageId: uuid(),
  coverUrl: z.string(),
  coverImageUrl: z.string(),
  tags: z.array(z.string()),
  featuredProductIds: z.array(uuid()),
  status: z.string(),
  effectiveStatus: z.string(),
  publishedAt: timestamp(),
  scheduledAt: timestamp(),
  metaTitle: z.string(),
  metaDescription: z.string(),
  viewCount: z.int(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});

/**
 * Section 4 names `title` and `contentMd`. The optional fields are those of a post that only its author can know;
 * whether a service accepts them is not shown.
 */
export const createBlogPost = {
  id: 'blog.create',
  method: 'POST',
  path: '/v1/stores/{storeId}/blog/posts',
  summary: 'Create a blog post',
  class: 'one-shot',
  body: openObject({
    title: text('Title of the post'),
    contentMd: text('Text of the post, in Markdown'),
    // The service says so in its own description, so that a client may rely on it there and nowhere else.
    slug: z.string().meta({ description: 'Short name in the address', 'x-unique': true }).optional(),
    excerpt: text('Summary shown in lists').optional(),
    coverImageId: uuid().meta({ description: 'Cover image (UUID)' }).optional(),
    tags: z.array(z.string()).meta({ description: 'Tags' }).optional(),
    featuredProductIds: z
      .array(uuid())
      .meta({ description: 'Products shown with the post (UUIDs)' })
      .optional(),
    status: text('State, for example draft').optional(),
    scheduledAt: text('When to publish, for example 2030-01-31T09:00:00Z').optional(),
    metaTitle: text('Title for search engines').optional(),
    metaDescription: text('Description for search engines').optional(),
  }),
  response: blogPost,
} as const satisfies Operation;
