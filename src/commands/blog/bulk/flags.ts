/** Creates a post even if the history contains it. */
export const allowDuplicate = '--allow-duplicate';
