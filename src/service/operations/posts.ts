import * as z from 'zod';
import { sha256 } from '../../base/sha256.ts';
import { postStates } from '../../contract/operations/blog.ts';
import { invalidField, notFound, ServiceError } from '../model/errors.ts';
import { distinct, filledLine, line, optional, pattern, text, time, uuid } from '../model/field-schemas.ts';
import { createId } from '../model/ids.ts';
import { withoutNulls } from '../model/merge.ts';
import { slugFrom } from '../model/slugs.ts';
import { timestamp } from '../model/time.ts';
import type { Tenant } from '../storage/core/storage.ts';
import { findPost, findPosts, insertPost, type PostRecord } from '../storage/queries/posts.ts';
import type { Abridged } from './idempotency.ts';
import { byPosition, pageInput, toPage } from './pages.ts';
import { recordEvent } from './record-event.ts';
import type { Work } from './unit-of-work.ts';

const maxSlug = 120;

/** Body of operation 2. */
export const newPost = z
  .strictObject({
    title: filledLine(200),
    contentMd: text(200_000),
    slug: pattern(
      /^(?=.{1,120}$)[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$/u,
      'must be 1 to 120 lowercase letters and digits, with single hyphens between words',
    ).optional(),
    excerpt: optional(text(500)),
    coverImageId: optional(uuid()),
    tags: distinct(filledLine(50), 20).default([]),
    featuredProductIds: distinct(z.guid('must be a UUID'), 50)
      .transform((ids) => [...new Set(ids.map((id) => id.toLowerCase()))])
      .default([]),
    status: z.enum(postStates).default('draft'),
    scheduledAt: optional(
      time().meta({
        description: 'When to publish a post with the status scheduled. Must be in the future.',
      }),
    ),
    metaTitle: optional(line(200)),
    metaDescription: optional(text(500)),
  })
  .meta({
    // Neither scheduled without a time, nor a time without being scheduled.
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
      ],
    },
  });

/** Operation 2. Throws `slug_taken`, also for a slug made from the title: a second identical post is probably a mistake. */
export async function createPost(work: Work, input: z.output<typeof newPost>) {
  checkSchedule(input, work.now);
  const id = createId();
  const now = timestamp(work.now);
  const { title, slug, ...rest } = input;
  const post: PostRecord = {
    id,
    title,
    slug: slug ?? (slugFrom(title, { max: maxSlug, ascii: false }) || `post-${id.slice(-12)}`),
    ...rest,
    contentSha256: sha256(input.contentMd),
    publishedAt: input.status === 'published' ? now : null,
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
export const postsQuery = pageInput({ slug: text(maxSlug).optional() });

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

/** Of an answer to `blog.create`: what it says besides the content, which its request has. */
export const withoutContent: Abridged<z.output<typeof newPost>> = {
  shorten: (body, { contentMd }) => body.replace(memberOf(contentMd), () => memberOf(null)),
  complete: (kept, { contentMd }) => kept.replace(memberOf(null), () => memberOf(contentMd)),
};

/** As it stands in JSON. Inside of a text its quotes would be escaped. */
function memberOf(contentMd: string | null): string {
  return `"contentMd":${JSON.stringify(contentMd)}`;
}

function checkSchedule(input: z.output<typeof newPost>, now: number): void {
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
