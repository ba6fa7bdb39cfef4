/** Pairs of prompts: the same question in other words, and different questions in nearly the same words. Made up for this set. */

export interface LabelledPair {
  readonly one: string;
  readonly other: string;
  /** One answer serves both. */
  readonly isSame: boolean;
}

const SAME = `
  What is the capital of France? | what is the capital of france
  What is the capital of France? | Which city is the capital of France?
  How do I reset my password? | How can I reset my password?
  How do I reset my password? | I forgot my password, how do I set a new one?
  Please tell me how late the shop is open | Tell me please how late the shop is open
  What are your opening hours? | When are you open?
  Summarise the plot of Hamlet | Give me a summary of the plot of Hamlet
  Explain how photosynthesis works | Explain photosynthesis, how does it work
  Who wrote Pride and Prejudice? | Who is the author of Pride and Prejudice?
  How many days are there in a leap year? | In a leap year, how many days are there?
  Convert 10 kilometres to miles | convert 10 kilometres to miles please
  What does HTTP status 404 mean? | What is the meaning of HTTP status 404?
  How do I cancel my subscription? | I want to cancel my subscription, how do I do that?
  Where can I download my invoice? | Where is it possible to download my invoice?
  What is the boiling point of water? | At what temperature does water boil?
  Write a short poem about the sea | Write me a short poem about the sea
  How tall is Mount Everest? | What is the height of Mount Everest?
  List the planets of the solar system | list all the planets of the solar system
  Does the warranty cover water damage? | Is water damage covered by the warranty?
  How do I make pancakes? | What is a recipe for pancakes?
  Can I return an item after 30 days? | Is it possible to return an item after 30 days?
  What is the difference between TCP and UDP? | What's the difference between TCP and UDP?
  Which payment methods do you accept? | Which methods of payment do you accept?
  Is there a student discount? | Do you have a discount for students?
  How long does delivery take? | What is the delivery time?
  Name three famous painters of the Renaissance | name three famous Renaissance painters
  When did the Berlin Wall fall? | In which year did the Berlin Wall fall?
  How do I undo the last commit in git? | In git, how do I undo the last commit?
  Why is the sky blue? | Why does the sky look blue?
  What is the fastest land animal? | Which land animal is the fastest?
`;

const DIFFERENT = `
  What is the capital of France? | What is the capital of Spain?
  What is the capital of France? | What is the population of France?
  How do I reset my password? | How do I reset my phone?
  Convert 10 kilometres to miles | Convert 10 miles to kilometres
  Convert 10 kilometres to miles | Convert 100 kilometres to miles
  Can I return an item after 30 days? | Can I return an item after 90 days?
  What does HTTP status 404 mean? | What does HTTP status 403 mean?
  Is the shop open on Sunday? | Is the shop open on Monday?
  How do I enable two-factor authentication? | How do I disable two-factor authentication?
  Does the warranty cover water damage? | Does the warranty not cover water damage?
  Who wrote Pride and Prejudice? | Who directed Pride and Prejudice?
  Translate good morning to German | Translate good morning to Italian
  Translate good morning to German | Translate good night to German
  What is the boiling point of water? | What is the freezing point of water?
  How tall is Mount Everest? | How tall is Mount Fuji?
  The dog bit the man, who was hurt? | The man bit the dog, who was hurt?
  Is flight LH400 on time today? | Is flight LH401 on time today?
  What was the weather in Rome in 1990? | What was the weather in Rome in 1991?
  Write a short poem about the sea | Write a short poem about the forest
  Write a short poem about the sea | Write a long poem about the sea
  How many days are there in a leap year? | How many weeks are there in a leap year?
  Why is the sky blue? | Why is the sea blue?
  What is the fastest land animal? | What is the slowest land animal?
  Which tablets are safe for adults? | Which tablets are safe for children?
  Should I take the medicine before meals? | Should I take the medicine after meals?
  List the planets of the solar system | List the moons of the solar system
  How do I cancel my subscription? | How do I renew my subscription?
  Show the sales of the first quarter of this year for all the regions in the north of the country | Show the sales of the second quarter of this year for all the regions in the north of the country
  Please tell me in one sentence what the main idea of the first chapter of the book is | Please tell me in one sentence what the main idea of the third chapter of the book is
  When did the Berlin Wall fall? | When was the Berlin Wall built?
`;

const pairsOf = (texts: string, isSame: boolean): readonly LabelledPair[] =>
  texts
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [one = '', other = ''] = line.split(' | ');
      return { one, other, isSame };
    });

export const SIMILAR_PROMPTS: readonly LabelledPair[] = [...pairsOf(SAME, true), ...pairsOf(DIFFERENT, false)];
