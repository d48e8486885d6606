import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Composer, type CST, type Document, Lexer, type ParsedNode, Parser, visit } from 'yaml'
import { Compactor } from '../../../src/fleet/yaml/lex.ts'
import { runs } from '../../support/properties.ts'

/** The library's result for a text: every node with its range, and every error. */
function composed(text: string, compactor?: Compactor): unknown {
  const parser = new Parser()
  const tokens: CST.Token[] = []
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme))
    compactor?.see(parser.stack)
  }
  tokens.push(...parser.end())
  const composer = new Composer({ prettyErrors: false, logLevel: 'silent', uniqueKeys: false })
  return [...composer.compose(tokens)].map(described)
}

function described(document: Document.Parsed<ParsedNode>): unknown {
  const nodes: unknown[] = []
  visit(document, {
    Node: (_key, node) => {
      nodes.push([node.constructor.name, { ...node, items: undefined }])
    }
  })
  return [nodes, document.errors.map(({ code, pos }) => [code, pos])]
}

const pieces = [
  ...['a', 'b c', ': ', ':', '- ', '\n', '\n', ' ', '  ', '{', '}', '[', ']', ',', ', ', '"d"'],
  ...[
    "'e'",
    '&a ',
    '*a',
    '|\n',
    '>\n',
    ' # c',
    '? ',
    '\t',
    '1',
    '~',
    '\n  ',
    '\n- ',
    '\n  - ',
    '[]'
  ]
]

it('keeps the meaning of any text, valid or not', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), words => {
      const text = words.join('')
      expect(composed(text, new Compactor())).toEqual(composed(text))
    }),
    runs(300)
  )
})

it.each([
  '[a, b: c, ? d, ? e : f, "g", [h, [i]], {j: k, l}, m , *n, &o p]',
  '[a # c\n, b # d\n, # e\n c]',
  '- a # b\n# c\n- - d\n  # e\n  - f\n# g\n- h:\n    i\n  # j\n  k: l',
  'a: [\n  b,\n  c\n]\n? d\n: e\n? [f, g]\n: {h: i}\n'
])('keeps %j unchanged', text => {
  expect(composed(text, new Compactor())).toEqual(composed(text))
})
