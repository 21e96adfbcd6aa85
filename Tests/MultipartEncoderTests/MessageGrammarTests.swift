import MultipartEncoder
import Testing

@Suite struct MessageGrammarTests {
    enum Event: CaseIterable {
        case beginPart, endPart, finish
    }

    /// What may come next, written down apart from the machine: the state it leads to and the
    /// delimiter it needs.
    static func expected(
        _ state: MessageGrammar.State,
        _ event: Event
    ) -> (state: MessageGrammar.State, delimiter: Delimiter?)? {
        switch (state, event) {
        case (.start, .beginPart): (.inPart, .first)
        case (.start, .finish): (.finished, .onlyClose)
        case (.inPart, .endPart): (.betweenParts, nil)
        case (.betweenParts, .beginPart): (.inPart, .between)
        case (.betweenParts, .finish): (.finished, .close)
        default: nil
        }
    }

    @Test func `every sequence of up to nine events goes where the grammar says`() {
        var reached: Set<MessageGrammar.State> = []
        var transitions: Set<String> = []
        var sequences = 0
        func explore(_ grammar: MessageGrammar, depth: Int) {
            sequences += 1
            reached.insert(grammar.state)
            guard depth > 0 else { return }
            for event in Event.allCases {
                guard let expected = Self.expected(grammar.state, event) else { continue }
                var next = grammar
                let delimiter: Delimiter? =
                    switch event {
                    case .beginPart: next.beginPart()
                    case .endPart:
                        {
                            next.endPart()
                            return nil
                        }()
                    case .finish: next.finish()
                    }
                #expect(delimiter == expected.delimiter)
                #expect(next.state == expected.state)
                transitions.insert("\(grammar.state) \(event)")
                explore(next, depth: depth - 1)
            }
        }
        explore(MessageGrammar(), depth: 9)
        #expect(reached == Set(MessageGrammar.State.allCases))
        #expect(transitions.count == 5)
        #expect(sequences == 15)
    }

    @Test func `a part can't begin inside a part`() async {
        await #expect(processExitsWith: .failure) {
            var grammar = MessageGrammar()
            _ = grammar.beginPart()
            _ = grammar.beginPart()
        }
    }

    @Test func `a part can't begin after the end`() async {
        await #expect(processExitsWith: .failure) {
            var grammar = MessageGrammar()
            _ = grammar.finish()
            _ = grammar.beginPart()
        }
    }

    @Test func `a part can't end before it began`() async {
        await #expect(processExitsWith: .failure) {
            var grammar = MessageGrammar()
            grammar.endPart()
        }
    }

    @Test func `a part can't end twice`() async {
        await #expect(processExitsWith: .failure) {
            var grammar = MessageGrammar()
            _ = grammar.beginPart()
            grammar.endPart()
            grammar.endPart()
        }
    }

    @Test func `a part can't end after the end`() async {
        await #expect(processExitsWith: .failure) {
            var grammar = MessageGrammar()
            _ = grammar.finish()
            grammar.endPart()
        }
    }

    @Test func `a message can't end inside a part`() async {
        await #expect(processExitsWith: .failure) {
            var grammar = MessageGrammar()
            _ = grammar.beginPart()
            _ = grammar.finish()
        }
    }

    @Test func `a message can't end twice`() async {
        await #expect(processExitsWith: .failure) {
            var grammar = MessageGrammar()
            _ = grammar.finish()
            _ = grammar.finish()
        }
    }

    @Test(arguments: [
        (Delimiter.first, "--b\r\n"), (.between, "\r\n--b\r\n"), (.close, "\r\n--b--\r\n"),
        (.onlyClose, "--b--\r\n"),
    ])
    func `a delimiter's bytes`(delimiter: Delimiter, text: String) throws {
        #expect(delimiter.bytes(for: try Boundary("b")) == ContiguousArray(text.utf8))
    }
}
