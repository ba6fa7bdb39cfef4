/** Source: https://docs.mistral.ai/capabilities/guardrailing */
import { partners } from '@gatehouse/crds/guardrails';
import { type Ask, bearer, definePartner, member, needObject, once } from './engine/index.ts';

const isConversation = ({ subject }: Pick<Ask<unknown>, 'subject'>): boolean =>
  subject.phase === 'input' && subject.requestType === 'chatComplete';

export const mistralModerateContent = definePartner(partners.mistralModerateContent, {
  onError: true,
  empty: false,
  withoutCredential: false,
  host: 'https://api.mistral.ai',
  auth: bearer(),
  path: (ask) => (isConversation(ask) ? '/v1/chat/moderations' : '/v1/moderations'),
  bodies: once((ask) => ({
    model: ask.parameters.model,
    input: [isConversation(ask) ? (ask.subject.request['messages'] ?? []) : ask.subject.text],
  })),
  read: ([reply], { parameters }) => {
    const categories = needObject(reply, 'categories', 'results', 0, 'categories');
    const flagged = parameters.categories.filter((name) => member(categories, name) === true);
    return { verdict: flagged.length === 0, data: { flagged_categories: flagged } };
  },
});
