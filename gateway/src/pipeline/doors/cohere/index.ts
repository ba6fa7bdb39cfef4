export { cohereChat } from './chat.ts';
export { cohereEmbed } from './embed.ts';
export { cohereRerank } from './rerank.ts';
