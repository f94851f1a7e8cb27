import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { render } from '../../lib/report/render.ts';
import { ATTACKS, hostileReport } from '../report/attacks.ts';
import { describeWith } from './debian.ts';

const EXTENSIONS = ['table', 'strikethrough', 'autolink', 'tasklist'].flatMap((e) => ['-e', e]);

describeWith('Markdown as GitHub reads it', { 'cmark-gfm': 'cmark-gfm' }, ({ 'cmark-gfm': cmark }) => {
  const parse = (markdown: string, format: 'xml' | 'html'): string =>
    execFileSync(cmark, ['-t', format, '--unsafe', ...EXTENSIONS], { input: markdown, encoding: 'utf8' });
  const elements = (xml: string): string[] =>
    [...xml.matchAll(/<(\/?[a-z_]+)/g)].map((m) => m[1] as string).filter((e) => !/text$|softbreak/.test(e));
  const plain = elements(parse(render(hostileReport('plain'), 'md'), 'xml'));

  it('reads lists, a table and emphasis of a report at all', () => {
    for (const element of ['heading', 'list', 'item', 'strong', 'table', 'table_row']) expect(plain).toContain(element);
  });

  it.each(Object.entries(ATTACKS))('shows %s and builds nothing of it', (_, attack) => {
    const xml = parse(render(hostileReport(attack), 'md'), 'xml');
    expect(elements(xml)).toEqual(plain);
    expect(xml).not.toMatch(/<(link|image|html_block|html_inline|code|code_block|emph|strikethrough|footnote\w*)\b/);
  });

  it.each(['x1000c0s[0-7]b0n0', 'kernel_panic *and* `code` <18> 96 % & more', '1. first', '- x', 'a | b'])('shows %s as it is', (text) => {
    const html = parse(render(hostileReport(text), 'md'), 'html').replaceAll('\u200b', '');
    expect(html).toContain(
      `by the model alone, info: ${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')} [unverified`,
    );
  });
});
