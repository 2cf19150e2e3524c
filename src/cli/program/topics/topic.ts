/** What `storectl help TOPIC` explains. */
export interface Topic {
  readonly title: string;
  readonly sections: readonly TopicSection[];
}

/** Paragraphs, then terms with what they mean, then commands. */
export interface TopicSection {
  readonly heading?: string;
  readonly paragraphs?: readonly string[];
  readonly items?: readonly (readonly [term: string, meaning: string])[];
  readonly examples?: readonly string[];
}
