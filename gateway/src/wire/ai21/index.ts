export { fromJurassicChat, fromJurassicCompletion } from './answer.ts';
export { fromJurassicEmbedding, toJurassicEmbedding } from './embed.ts';
export { takesJurassicChat, takesJurassicCompletion, takesJurassicEmbedding } from './params.ts';
export { toJurassicChat, toJurassicCompletion } from './request.ts';
