import type { Story } from './story.ts';

/** Something that the program promises, and how it is checked. */
export interface ProgramPromise {
  readonly id: string;
  readonly text: string;
  /** What broke it in this story, in words; empty where it was kept, null where it did not come up. */
  check(story: Story): readonly string[] | null;
}
