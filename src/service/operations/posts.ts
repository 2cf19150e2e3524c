import * as z from 'zod';
import { sha256 } from '../../base/sha256.ts';
import { postSlugForm } from '../../contract/forms.ts';
import { postLimits, postStates } from '../../contract/operations/blog.ts';
import { maxSlugLength, slugOf, slugPattern } from '../../contract/slug.ts';
import { invalidField, notFound, ServiceError } from '../model/errors.ts';
import {
  distinct,
  filledLine,
  formatted,
  oneLine,
  optional,
  text,
  time,
  uuid,
} from '../model/field-schemas.ts';
import { createId } from '../model/ids.ts';
import { withoutNulls } from '../model/merge.ts';
import { timestamp } from '../model/time.ts';
import type { Tenant } from '../storage/core/storage.ts';
import { findPost, findPosts, insertPost, type PostRecord } from '../storage/queries/posts.ts';
import { byPosition, pageInput, toPage } from './pages.ts';
import { recordEvent } from './record-event.ts';
import type { Work } from './unit-of-work.ts';

/** Body of `blog.create`. */
export const newPost = z
  .strictObject({
    title: filledLine(postLimits.title),
    contentMd: text(postLimits.contentMd),
    slug: formatted(maxSlugLength, postSlugForm.fits, postSlugForm.problem, {
      pattern: slugPattern,
      minLength: 1,
    }).optional(),
    excerpt: optional(text(postLimits.excerpt)),
    coverImageId: optional(uuid()),
    tags: distinct(filledLine(postLimits.tag), postLimits.tags).default([]),
    featuredProductIds: distinct(z.guid('must be a UUID'), 50)
      .transform((ids) => [...new Set(ids.map((id) => id.toLowerCase()))])
      .default([]),
    status: z.enum(postStates).default('draft'),
    scheduledAt: optional(
      time().meta({
        description: 'When to publish a post with the status scheduled. Must be in the future.',
      }),
    ),
    publishedAt: optional(
      time().meta({
        description: 'When a post with the status published was first published. Must not be in the future.',
      }),
    ),
    metaTitle: optional(oneLine(postLimits.metaTitle)),
    metaDescription: optional(text(postLimits.metaDescription)),
  })
  .meta({
    // Neither scheduled without a time, nor a time without the status that it belongs to.
    not: {
      anyOf: [
        {
          properties: { status: { const: 'scheduled' }, scheduledAt: { type: 'null' } },
          required: ['status'],
        },
        {
          properties: { status: { not: { const: 'scheduled' } }, scheduledAt: { type: 'string' } },
          required: ['scheduledAt'],
        },
        {
          properties: { status: { not: { const: 'published' } }, publishedAt: { type: 'string' } },
          required: ['publishedAt'],
        },
      ],
    },
  });

/** `blog.create`. Throws `slug_taken`, also for a slug made from the title: a second identical post is probably a mistake. */
export async function createPost(work: Work, input: z.output<typeof newPost>) {
  checkTimes(input, work.now);
  const id = createId();
  const now = timestamp(work.now);
  const { title, slug, publishedAt, ...rest } = input;
  const post: PostRecord = {
    id,
    title,
    slug: slug ?? (slugOf(title) || `post-${id.slice(-12)}`),
    ...rest,
    contentSha256: sha256(input.contentMd),
    publishedAt: input.status === 'published' ? (publishedAt ?? now) : null,
    viewCount: 0,
    createdAt: now,
    updatedAt: now,
  };
  const existing = await insertPost(work, post);
  if (existing !== null) {
    // Its content may be the one that was sent.
    throw new ServiceError('slug_taken', `The store already has a post with the slug "${post.slug}"`, {
      existing,
    });
  }
  await recordEvent(work, 'post_created', { postId: id, title, status: post.status });
  return toPost(post, work.now);
}

/** Query of `blog.list`. */
export const postsQuery = pageInput({ slug: text(maxSlugLength).optional() });

/** `blog.list`: newest first, without their contents. */
export async function listPosts(tenant: Tenant, query: z.output<typeof postsQuery>, now: number) {
  const { limit, slug, after } = query;
  const [below = null] = byPosition.read(after) ?? [];
  const posts = await findPosts(tenant, { below, limit: limit + 1, slug });
  return toPage(
    posts,
    limit,
    ({ position }) => byPosition.write(position),
    ({ position: _, ...post }) => withStatus(post, now),
  );
}

/** `blog.show`. */
export async function showPost(tenant: Tenant, id: string, now: number) {
  const post = await findPost(tenant, id);
  if (post === undefined) throw notFound('Post', id);
  return toPost(post, now);
}

/** Puts the content of a post into JSON that has null in its place. Inside of a text its quotes would be escaped. */
export function withContent(json: string, { contentMd }: z.output<typeof newPost>): string {
  return json.replace('"contentMd":null', () => `"contentMd":${JSON.stringify(contentMd)}`);
}

function checkTimes(input: z.output<typeof newPost>, now: number): void {
  if (input.publishedAt) {
    if (input.status !== 'published')
      throw invalidField('/publishedAt', 'not_allowed', 'requires the status published');
    if (input.publishedAt > timestamp(now))
      throw invalidField('/publishedAt', 'too_big', 'must not be in the future');
  }
  if (input.status !== 'scheduled') {
    if (!input.scheduledAt) return;
    throw invalidField('/scheduledAt', 'not_allowed', 'requires the status scheduled');
  }
  if (!input.scheduledAt)
    throw invalidField('/scheduledAt', 'required', 'is required with the status scheduled');
  if (input.scheduledAt <= timestamp(now)) {
    throw invalidField('/scheduledAt', 'too_small', 'must be in the future');
  }
}

function toPost({ contentSha256: _, ...post }: PostRecord, now: number) {
  return withStatus(post, now);
}

/** A scheduled post is published once its time has come. */
function withStatus<Post extends Pick<PostRecord, 'status' | 'scheduledAt' | 'publishedAt'>>(
  post: Post,
  now: number,
) {
  const isDue = post.status === 'scheduled' && (post.scheduledAt ?? '') <= timestamp(now);
  return withoutNulls({
    ...post,
    effectiveStatus: isDue ? 'published' : post.status,
    publishedAt: isDue ? post.scheduledAt : post.publishedAt,
  });
}
