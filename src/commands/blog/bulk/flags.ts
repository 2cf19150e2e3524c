/** Creates a post although the history knows it. */
export const allowDuplicate = '--allow-duplicate';

/** The user's word that the service refuses a slug that is taken, so that a lost answer can be settled by it. */
export const slugsAreUnique = '--slugs-are-unique';
