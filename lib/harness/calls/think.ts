const OPEN = /<(think|thinking|reasoning|thought)>|\[THINK\]/i;
const CLOSE = /<\/(?:think|thinking|reasoning|thought)>|\[\/THINK\]/i;

/**
 * Takes thinking that leaked out of a content: balanced blocks, what stands before an end without a beginning (templates
 * that open the block themselves), and all from a beginning without an end (cut by the budget).
 */
export function stripThinking(content: string): { content: string; thought: string } {
  const thoughts: string[] = [];
  let rest = content;
  const orphan = CLOSE.exec(rest);
  const first = OPEN.exec(rest);
  if (orphan && (!first || orphan.index < first.index)) {
    thoughts.push(rest.slice(0, orphan.index));
    rest = rest.slice(orphan.index + orphan[0].length);
  }
  for (let open = OPEN.exec(rest); open; open = OPEN.exec(rest)) {
    const inside = rest.slice(open.index + open[0].length);
    const close = CLOSE.exec(inside);
    thoughts.push(close ? inside.slice(0, close.index) : inside);
    rest = rest.slice(0, open.index) + (close ? inside.slice(close.index + close[0].length) : '');
  }
  return { content: rest.trim(), thought: thoughts.map((t) => t.trim()).join('\n') };
}
