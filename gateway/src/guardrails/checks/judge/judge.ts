import { judge as entry } from '@gatehouse/crds/guardrails';
import { emptyText, undecided } from '../../answers.ts';
import { type CheckAnswer, type CheckSubject, defineCheck, type ModelQuestion } from '../../contract.ts';
import { faultOf } from '../../outbound/index.ts';
import { instructionsOf } from './instructions.ts';
import { readJudgement } from './judgement.ts';

export const judge = defineCheck(entry, ({ prompt, model, threshold, includeRequest, maxTokens }) => {
  const instructions = instructionsOf(prompt);
  const questionOf = (subject: CheckSubject): ModelQuestion => ({
    model,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: documentOf(subject, includeRequest) },
    ],
    maxTokens,
  });

  return async (subject, { ask, signal }): Promise<CheckAnswer> => {
    if (ask === undefined) {
      return undecided({ name: 'Unavailable', message: 'models cannot be asked here: the check needs a gateway' });
    }
    if (subject.text === '') return emptyText();
    const question = questionOf(subject);
    try {
      const { text, usage } = await ask(question, { signal });
      const judgement = readJudgement(text);
      if (judgement === undefined) {
        const message = 'the model has not answered with a JSON object that has a score from 0 to 1 and a reason';
        return undecided({ name: 'ParseError', message });
      }
      const { score, reason } = judgement;
      const verdict = score >= threshold;
      const explanation = `The score is ${verdict ? 'at least' : 'below'} the threshold.`;
      return { verdict, data: { verdict, explanation, score, threshold, reason, model, usage: usage ?? null } };
    } catch (error) {
      return { verdict: false, error: faultOf(error) };
    }
  };
});

/** JSON, so that no text can end the document that it stands in. */
function documentOf(subject: CheckSubject, includeRequest: boolean): string {
  if (subject.phase === 'input' || !includeRequest) return JSON.stringify({ text: subject.text });
  return JSON.stringify({ request: subject.requestText(), text: subject.text });
}
