// Reads the tokens of a translation unit, lets Rust edit them, and returns them for the parser.
//
// Macros are expanded, and digraphs and spliced lines are replaced. `-include`, preprocessed text
// and precompiled headers need no special cases. This file makes no decisions.
#include "unit.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

struct scythe_tokens {
  Preprocessor &PP;
  scythe_unit &Unit;
  std::vector<Token> All;
};

static tok::TokenKind punctuation(llvm::StringRef Text) {
  return llvm::StringSwitch<tok::TokenKind>(Text)
      .Case("(", tok::l_paren)
      .Case(")", tok::r_paren)
      .Case("[", tok::l_square)
      .Case("]", tok::r_square)
      .Case("{", tok::l_brace)
      .Case("}", tok::r_brace)
      .Case(",", tok::comma)
      .Case("+", tok::plus)
      .Case("?", tok::question)
      .Case(":", tok::colon)
      .Case("::", tok::coloncolon)
      .Default(tok::unknown);
}

extern "C" void scythe_token_at(scythe_tokens *Tokens, size_t Index, scythe_token *Out) {
  *Out = {};
  Out->kind = SCYTHE_TOKEN_END;
  if (Index >= Tokens->All.size())
    return;
  const Token &Tok = Tokens->All[Index];
  Out->loc = rawLoc(Tok.getLocation());
  if (Tok.is(tok::eof))
    return;
  Out->kind = SCYTHE_TOKEN_OTHER;
  if (Tok.isAnnotation())
    return;
  llvm::StringRef Text;
  if (const IdentifierInfo *II = Tok.getIdentifierInfo()) {
    Out->kind = SCYTHE_TOKEN_WORD;
    Text = II->getName();
  } else if (const char *Spelling = tok::getPunctuatorSpelling(Tok.getKind())) {
    Out->kind = SCYTHE_TOKEN_PUNCTUATION;
    Text = Spelling;
  } else {
    if (tok::isStringLiteral(Tok.getKind()))
      Out->kind = SCYTHE_TOKEN_TEXT;
    Out->text = Tokens->Unit.keep(Tokens->PP.getSpelling(Tok));
    return;
  }
  Out->text = {Text.data(), Text.size()};
}

// Whether the attributes after `[[` may be in a namespace of SYCL attributes.
static bool concernsUs(llvm::ArrayRef<Token> Rest,
                       llvm::ArrayRef<const IdentifierInfo *> Namespaces) {
  for (size_t I = 0; I + 1 < Rest.size() && !Rest[I].is(tok::eof); ++I) {
    if (Rest[I].is(tok::r_square) && Rest[I + 1].is(tok::r_square))
      return false;
    if (!Rest[I].isAnnotation() && llvm::is_contained(Namespaces, Rest[I].getIdentifierInfo()) &&
        Rest[I].getIdentifierInfo())
      return true;
  }
  return false;
}

static Token made(scythe_tokens &Tokens, const scythe_piece &Piece) {
  if (Piece.kind == SCYTHE_PIECE_COPY)
    return Tokens.All[Piece.index];
  SourceLocation Loc = Tokens.All[Piece.index].getLocation();
  llvm::StringRef Text(Piece.text.data, Piece.text.size);
  Token Tok;
  Tok.startToken();
  if (Piece.kind == SCYTHE_PIECE_TEXT) {
    Tok.setKind(tok::string_literal);
    std::string Quoted = "\"";
    for (char C : Text) {
      if (C == '"' || C == '\\')
        Quoted.push_back('\\');
      Quoted.push_back(C);
    }
    Tokens.PP.CreateString(Quoted + "\"", Tok, Loc, Loc);
    return Tok;
  }
  Tok.setLocation(Loc);
  Tok.setLength(Tokens.All[Piece.index].isAnnotation() ? 1 : Tokens.All[Piece.index].getLength());
  if (Piece.kind == SCYTHE_PIECE_WORD) {
    IdentifierInfo *II = Tokens.PP.getIdentifierInfo(Text);
    Tok.setIdentifierInfo(II);
    Tok.setKind(II->getTokenID());
  } else {
    Tok.setKind(punctuation(Text));
  }
  return Tok;
}

static std::vector<Token> edited(scythe_tokens &Tokens, llvm::ArrayRef<scythe_edit> Edits) {
  std::vector<Token> Out;
  Out.reserve(Tokens.All.size() + 64 * Edits.size());
  size_t Next = 0;
  for (const scythe_edit &Edit : Edits) {
    Out.insert(Out.end(), Tokens.All.begin() + Next, Tokens.All.begin() + Edit.start);
    for (size_t I = 0; I < Edit.piece_count; ++I)
      Out.push_back(made(Tokens, Edit.pieces[I]));
    Next = Edit.end;
  }
  Out.insert(Out.end(), Tokens.All.begin() + Next, Tokens.All.end());
  return Out;
}

const WrittenAttribute *WrittenAttributes::at(SourceLocation Loc, bool Argument) const {
  auto Found = Places.find(key(Loc, Argument));
  return Found == Places.end() ? nullptr : &Found->second;
}

std::vector<Token> editTokens(scythe_unit &Unit, Preprocessor &PP, WrittenAttributes &Written) {
  scythe_tokens Tokens{PP, Unit, {}};
  Tokens.All.reserve(1 << 17);
  do {
    Tokens.All.emplace_back();
    PP.Lex(Tokens.All.back());
  } while (!Tokens.All.back().is(tok::eof));
  llvm::SmallVector<const IdentifierInfo *, 8> Namespaces;
  for (const char *Name : {"sycl", "cl", "intel", "INTEL", "sycl_detail", "__sycl_detail__"})
    Namespaces.push_back(PP.getIdentifierInfo(Name));
  const IdentifierInfo *External = PP.getIdentifierInfo("scythe_external");
  std::vector<size_t> Starts;
  for (size_t I = 0; I + 1 < Tokens.All.size(); ++I) {
    const Token &Tok = Tokens.All[I];
    bool Ours = Tok.is(tok::l_square)
                    ? Tokens.All[I + 1].is(tok::l_square) &&
                          concernsUs(llvm::ArrayRef(Tokens.All).drop_front(I + 2), Namespaces)
                    : Tok.is(tok::identifier) && Tok.getIdentifierInfo() == External;
    if (Ours)
      Starts.push_back(I);
  }
  if (Starts.empty())
    return std::move(Tokens.All);
  scythe_edits Edits{};
  scythe_frontend_tokens(&Unit, &Tokens, Starts.data(), Starts.size(), &Edits);
  for (size_t I = 0; I < Edits.written_count; ++I) {
    const scythe_written &W = Edits.written[I];
    WrittenAttribute A{std::string(W.name.data, W.name.size), W.argument};
    uint64_t Key = WrittenAttributes::key(Tokens.All[W.index].getLocation(), W.argument != 0);
    Written.Places.try_emplace(Key, std::move(A));
  }
  return edited(Tokens, {Edits.edits, Edits.edit_count});
}
