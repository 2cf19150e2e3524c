/** Creates a post even if the history contains it. */
export const allowDuplicate = '--allow-duplicate';

/** The user confirms that the service refuses taken slugs, so a lost answer can be settled by sending again. */
export const slugsAreUnique = '--slugs-are-unique';
