"""Readings that a second, independently written set of responses asked for, and responses cut off at every place.

One row a response: text, answer type, options, language, and the labels chosen or the status. Where a response is cut
off before its conclusion it gives no answer, and what is cut off after an answer leaves the answer as it is.
"""
# ruff: noqa: E501  (a response stays on one line)

import pytest

from pipelines.answers import read

GUT = ["虚血性腸炎", "潰瘍性大腸炎", "Crohn病", "大腸憩室出血", "偽膜性腸炎"]
PICTURES = ["①", "②", "③", "④", "⑤"]
PILLS = ["アムロジピン", "フロセミド", "ビソプロロール", "スピロノラクトン", "エナラプリル"]
SLE = [
    "女性に多い。",
    "抗核抗体が陽性である。",
    "関節破壊を伴う。",
    "ビタミンD欠乏が原因である。",
    "HbA1cの測定が有用である。",
]
BLOOD = ["血清Na", "血清K", "血清Ca", "血中CRP", "血中BNP"]
TIMES = ["直ちに", "1週間後", "1か月後", "3か月後", "1年後"]
ACNE = ["Topical retinoid", "Oral isotretinoin", "Benzoyl peroxide", "Topical corticosteroid", "Observation only"]
CELL = ["Mitocondrio", "Ribosoma", "Apparato di Golgi", "Lisosoma", "Nucleo", "Preferisco non rispondere"]
NUMBERS = ["3", "6", "9", "12", "15", "Preferisco non rispondere"]
URINE = ["腎盂腎炎", "尿管結石", "膀胱癌", "前立腺肥大症", "間質性膀胱炎"]
CARE = ["抗菌薬投与", "経過観察", "緊急手術", "血液透析", "放射線治療"]
NERVE = ["発症率は男性に多い。", "遺伝性疾患である。", "眼振がみられる。", "聴力低下を伴う。", "手術が第一選択である。"]
TESTS = ["血圧測定", "尿検査", "腹部CT", "MRI", "心電図検査"]
SHARES = ["5%", "10%", "20%", "40%", "80%"]
PAIRS = ["A ─── 心", "B ─── 肺", "C ─── 肝", "D ─── 腎", "E ─── 脾"]
ANAEMIA = ["鉄欠乏性貧血", "巨赤芽球性貧血", "再生不良性貧血", "溶血性貧血", "腎性貧血"]
SPOKEN = [
    "「すぐに入院しましょう」",
    "「様子をみてください」",
    "「お薬を出します」",
    "「検査をしましょう」",
    "「家族と相談してください」",
]
DAYS = ["1日", "3日", "7日", "14日", "28日"]
VITAMINS = ["ビタミンA", "ビタミンB1", "ビタミンC", "ビタミンD", "ビタミンK"]
HBV = ["HBs抗原", "HBs抗体", "HBc抗体", "HBe抗原", "HBV-DNA"]

MORE: list[tuple[str, str, list[str], str, str]] = [
    ("〔正解〕e", "single", GUT, "ja", "E"),
    ("cでしょう。", "single", GUT, "ja", "C"),
    ("たぶんc", "single", GUT, "ja", "C"),
    ("おそらくcです。", "single", GUT, "ja", "C"),
    (
        "c<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n次の問題: 正しいのはどれか。\na: 肝\nb: 腎\n答え: b",
        "single",
        GUT,
        "ja",
        "C",
    ),
    ("①a ②c", "multiple", PILLS, "ja", "AC"),
    (
        "answer: b\nconfidence: 0.7\nexplanation: 血便と左側腹部痛からaも考えられるが、若年であり",
        "single",
        GUT,
        "ja",
        "B",
    ),
    (
        "<|channel|>analysis<|message|>We need to choose. Option a? Probably c.<|end|><|start|>assistant<|channel|>final<|message|>c",
        "single",
        GUT,
        "ja",
        "C",
    ),
    (
        "<|channel|>analysis<|message|>We need to choose between a and c. The answer is a.",
        "single",
        GUT,
        "ja",
        "unparsed",
    ),
    ("analysisWe need to determine the answer. Option c seems right.assistantfinalc", "single", GUT, "ja", "C"),
    (
        "analysisWe need to determine the answer. Options a, b. So answer a.assistantfinal**答え: d**\n\n理由: 憩室出血は無痛性血便。",
        "single",
        GUT,
        "ja",
        "D",
    ),
    ("analysisThe question asks two. a and c maybe.assistantfinala,c", "multiple", PILLS, "ja", "AC"),
    (
        "analysisThe user wants a single letter. Let's think: c is Crohn. Answer: c? Need more thought about",
        "single",
        GUT,
        "ja",
        "unparsed",
    ),
    ("<unused94>thought\nThe user asks... Option a is plausible. Final: b<unused95>d", "single", GUT, "ja", "D"),
    ("thought\nThe user is asking about colitis. Options are a) ... I would pick", "single", GUT, "ja", "unparsed"),
    ("消去法でe", "single", GUT, "ja", "E"),
    ("aかbで迷うがa", "single", GUT, "ja", "A"),
    ("a も考えられるが、年齢から b の方が適切である。", "single", GUT, "ja", "B"),
    (
        "この問題は下血の鑑別に関するものです。\n\na. 虚血性腸炎：左側結腸に好発する。合致する。\nb. 潰瘍性大腸炎：若年者に多い。合致しない。\nc. Crohn病：回盲部。合致しない。\nd. 大腸憩室出血：無痛性。合致しない。\ne. 偽膜性腸炎：抗菌薬歴なし。合致しない。\n\nしたがって、最も考えられるのは虚血性腸炎である。",
        "single",
        GUT,
        "ja",
        "A",
    ),
    (
        "× a. 女性に多い。\n○ b. 抗核抗体が陽性である。\n× c. 関節破壊を伴う。\n× d. ビタミンD欠乏が原因である。\n× e. HbA1cの測定が有用である。",
        "single",
        SLE,
        "ja",
        "B",
    ),
    (
        "a. 女性に多い。→ 正しい\nb. 抗核抗体が陽性である。→ 正しい\nc. 関節破壊を伴う。→ 誤り（関節破壊は伴わない）\nd. ビタミンD欠乏が原因である。→ 正しい",
        "single",
        SLE,
        "ja",
        "unparsed",
    ),
    (
        "誤っているものを選ぶ問題である。\na: 正しい\nb: 正しい\nc: 誤り\nd: 正しい\ne: 正しい\nよって、誤っているのはcである。",
        "single",
        SLE,
        "ja",
        "C",
    ),
    ("正しいもの: a, c\n誤っているもの: b, d, e", "multiple", PILLS, "ja", "AC"),
    ("○：a、c\n×：b、d、e", "multiple", PILLS, "ja", "AC"),
    (
        "正しい選択肢は以下の2つです。\n1. **b. フロセミド** – 利尿作用\n2. **d. スピロノラクトン** – K保持性",
        "multiple",
        PILLS,
        "ja",
        "BD",
    ),
    (
        "選択肢の評価：\n\n1. **a. アムロジピン**：不適切\n2. **b. フロセミド**：適切\n3. **c. ビソプロロール**：不適切\n4. **d. スピロノラクトン**：適切\n5. **e. エナラプリル**：不適切",
        "multiple",
        PILLS,
        "ja",
        "BD",
    ),
    (
        "| 選択肢 | 評価 |\n|---|---|\n| a. アムロジピン | × |\n| b. フロセミド | ○ |\n| c. ビソプロロール | × |\n| d. スピロノラクトン | ○ |\n| e. エナラプリル | × |\n",
        "multiple",
        PILLS,
        "ja",
        "BD",
    ),
    (
        "| 選択肢 | 評価 |\n|---|---|\n| a. アムロジピン | 誤り |\n| b. フロセミド | 正しい |\n\n**正解: b, d**",
        "multiple",
        PILLS,
        "ja",
        "BD",
    ),
    ("| 選択肢 | 判定 |\n|---|---|\n| a | 不適切 |\n| b | 適切 |\n| c | ", "multiple", PILLS, "ja", "unparsed"),
    (
        "### 解答\n\n**c. Crohn病**\n\n### 解説\n\n- a：虚血性腸炎は高齢者に多い。\n- b：潰瘍性大腸炎は直腸から連続性。",
        "single",
        GUT,
        "ja",
        "C",
    ),
    ("**解答：d**\n\n**解説：**\n- **a（虚血性腸炎）**：腹痛を伴う\n- **b", "single", GUT, "ja", "D"),
    (
        "**正解：b. 潰瘍性大腸炎**\n\n---\n\n**理由**\n1. 若年\n2. 粘血便\n\n**他の選択肢**\n- a. 虚血性腸炎 → 高齢者\n- c. Crohn病 → 縦走潰瘍\n- d. 大腸憩室出血 → 無痛\n- e. 偽膜性腸炎 → 抗菌薬",
        "single",
        GUT,
        "ja",
        "B",
    ),
    (
        "この症例は、70歳の男性で、突然の下腹部痛と血便を主訴に来院した。既往に高血圧と便秘がある。大腸内視鏡検査では下行結腸に縦走する発赤と",
        "single",
        GUT,
        "ja",
        "unparsed",
    ),
    (
        "まず、各選択肢を検討します。\n\na. 虚血性腸炎：高齢者に好発し、左側結腸に多い。本症例に合致する。\n\nb. 潰瘍性大腸炎：",
        "single",
        GUT,
        "ja",
        "unparsed",
    ),
    (
        "Okay, let's see. The question is about a 70-year-old man with bloody stool. The options are a to e. First, a is ischemic colitis, which",
        "single",
        GUT,
        "ja",
        "unparsed",
    ),
    (
        "We need to answer. The options: a: 虚血性腸炎, b: 潰瘍性大腸炎, c: Crohn病, d: 大腸憩室出血, e: 偽膜性腸炎. The patient",
        "single",
        GUT,
        "ja",
        "unparsed",
    ),
    (
        "The correct answer is **a: 虚血性腸炎 (ischemic colitis)**.\n\nExplanation: The patient",
        "single",
        GUT,
        "ja",
        "A",
    ),
    ("Based on the findings, the most likely diagnosis is (b) ulcerative colitis.", "single", GUT, "ja", "B"),
    (
        "The most appropriate choice is e: Pseudomembranous colitis, because of a recent antibiotic.",
        "single",
        GUT,
        "ja",
        "E",
    ),
    ("To determine the correct answer, we must consider a patient with", "single", GUT, "ja", "unparsed"),
    ("Final Answer: The final answer is $\\boxed{d}$. I hope it is correct.", "single", GUT, "ja", "D"),
    ("Let me think step by step.\n1. A 70-year-old...\n2. B symptoms absent\n\nAnswer: a", "single", GUT, "ja", "A"),
    ("①③", "multiple", PICTURES, "ja", "AC"),
    ("3", "single", PICTURES, "ja", "C"),
    ("該当する選択肢はありません。", "single", GUT, "ja", "abstained"),
    ("正解なし", "single", GUT, "ja", "abstained"),
    ("すみません、分かりません。", "single", GUT, "ja", "abstained"),
    ("bに該当する。", "single", GUT, "ja", "B"),
    ("b一択。", "single", GUT, "ja", "B"),
    ("bで間違いない。", "single", GUT, "ja", "B"),
    ("a以外はすべて正しい。", "multiple", SLE, "ja", "BCDE"),
    ("すべて正しい。", "multiple", SLE, "ja", "ABCDE"),
    ("すべて", "multiple", PILLS, "ja", "ABCDE"),
    ("全て選択", "multiple", PILLS, "ja", "ABCDE"),
    ("b以外", "multiple", PILLS, "ja", "ACDE"),
    (
        "a. アムロジピン → ○ 適切\nb. フロセミド → × 脱水を助長\nc. ビソプロロール → ○ 適切\nd. スピロノラクトン → × \ne. エナラプリル → × ",
        "multiple",
        PILLS,
        "ja",
        "AC",
    ),
    ("まずaは正しい。次にbは誤り。cは正しい。dとeは誤り。", "multiple", PILLS, "ja", "AC"),
    ("正解は2つあります：aとcです。", "multiple", PILLS, "ja", "AC"),
    (
        "選択肢のうち、正しいのは次の3つです。\n・b フロセミド\n・d スピロノラクトン\n・e エナラプリル",
        "multiple",
        PILLS,
        "ja",
        "BDE",
    ),
    ("b）d）", "multiple", PILLS, "ja", "BD"),
    ("bとdの組み合わせが正しい。", "multiple", PILLS, "ja", "BD"),
    ("b, d のいずれか", "multiple", PILLS, "ja", "ambiguous"),
    ("a、bのうちaのみ正しい", "multiple", PILLS, "ja", "A"),
    ("血清Naと血中BNPを測定する。", "multiple", BLOOD, "ja", "AE"),
    ("血中CRPを測定する。BNPは不要。", "single", BLOOD, "ja", "D"),
    ("3か月後に再検する。", "single", TIMES, "ja", "D"),
    (
        "答え: a\n\n答え: aの理由は、高齢者の左下腹部痛であるからである。\n\n---\n\n次の問題：貧血をきたすのはどれか。\na: 鉄欠乏\nb: 多血症\n答え: b",
        "single",
        GUT,
        "ja",
        "A",
    ),
    (
        "c\nあなたは医師国家試験の専門家です。以下の問題に答えてください。\n問題: 正しいのはどれか。\na: 心\nb: 肺\nc: 肝\nd: 腎\ne: 脾\n答え: e",
        "single",
        GUT,
        "ja",
        "C",
    ),
    (
        "a. 虚血性腸炎\nb. 潰瘍性大腸炎\nc. Crohn病\nd. 大腸憩室出血\ne. 偽膜性腸炎\n\nこの中で最も可能性が高いのは a です。",
        "single",
        GUT,
        "ja",
        "A",
    ),
    (
        "aは正しい記述である。bも正しい。cは誤りで、実際には関節破壊は伴わない。dは正しい。eは正しい。したがって誤っているcが正解である。",
        "single",
        SLE,
        "ja",
        "C",
    ),
    ("［理由］抗菌薬投与後の下痢。\n［answer］e", "single", GUT, "ja", "E"),
    ("推論: 抗菌薬投与後の下痢。→ e", "single", GUT, "ja", "E"),
    ("抗菌薬投与後の下痢であることから偽膜性腸炎(e)が考えられる。", "single", GUT, "ja", "E"),
    ("答e", "single", GUT, "ja", "E"),
    ("解: e", "single", GUT, "ja", "E"),
    ("最適解は e", "single", GUT, "ja", "E"),
    ("A: e", "single", GUT, "ja", "E"),
    ("A. e", "single", GUT, "ja", "E"),
    ("e?", "single", GUT, "ja", "E"),
    ("正解は存在しない。", "single", GUT, "ja", "abstained"),
    ("確信は持てませんが、bだと思います。", "single", GUT, "ja", "B"),
    ("わかりませんが、bでしょうか。", "single", GUT, "ja", "B"),
    ("分からないが、強いて言えばb。", "single", GUT, "ja", "B"),
    ("推測ですがb", "single", GUT, "ja", "B"),
    ("bかもしれません。", "single", GUT, "ja", "B"),
    ("b？", "single", GUT, "ja", "B"),
    ("bかcですが、cの方が可能性が高いです。", "single", GUT, "ja", "C"),
    ("bとcが考えられるが、cがより適切。", "single", GUT, "ja", "C"),
    ("bとcで迷う。", "single", GUT, "ja", "ambiguous"),
    ("b（またはc）", "single", GUT, "ja", "ambiguous"),
    ("The question asks which is NOT. a is true, b is true, c is false. So answer c.", "single", GUT, "ja", "C"),
    ("We need to choose the one that is not correct. Probably d. But check a: ", "single", GUT, "ja", "unparsed"),
    (
        "The user is asking for the most likely diagnosis. Let me analyze each option:\n\na: Ischemic colitis - typical in elderly\nb: UC - young",
        "single",
        GUT,
        "ja",
        "unparsed",
    ),
    ("**Analysis:** elderly, painless bleeding → diverticular bleeding.\n\n**Answer: d**", "single", GUT, "ja", "D"),
    ("정답: d", "single", GUT, "ja", "D"),
    ("A.C.", "multiple", ACNE, "en", "AC"),
    ("A. C. E.", "multiple", ACNE, "en", "ACE"),
    ("All except B", "multiple", ACNE, "en", "ACDE"),
    ("All of the above", "multiple", ACNE, "en", "ABCDE"),
    ("All of them are correct.", "multiple", ACNE, "en", "ABCDE"),
    ("None of the above", "multiple", ACNE, "en", "abstained"),
    ("Everything but D is correct.", "multiple", ACNE, "en", "ABCE"),
    ("**A. Topical retinoid**\n**C. Benzoyl peroxide**\n\nThese are first-line.", "multiple", ACNE, "en", "AC"),
    (
        "The correct answers are:\n\n- **A. Topical retinoid**: comedolytic\n- **C. Benzoyl peroxide**: antibacterial\n\nThe other options are wrong:\n- B: severe acne\n- D: worsens acne\n- E: not enough",
        "multiple",
        ACNE,
        "en",
        "AC",
    ),
    ("A - correct\nB - incorrect\nC - correct\nD - incorrect\nE - incorrect", "multiple", ACNE, "en", "AC"),
    ("A and C, but not B", "multiple", ACNE, "en", "AC"),
    ("A or C, most likely C", "multiple", ACNE, "en", "C"),
    ("A topical retinoid is preferred.", "multiple", ACNE, "en", "A"),
    ("I'm not sure, but I'd say C.", "multiple", ACNE, "en", "C"),
    (
        "B is wrong because it is reserved for severe acne. D worsens. E is insufficient. Therefore, A and C.",
        "multiple",
        ACNE,
        "en",
        "AC",
    ),
    (
        "Let's analyze each option.\n\nA. Topical retinoid: Correct. First-line.\nB. Oral isotretinoin: Incorrect.\nC. Benzoyl peroxide: Correct.\nD. Topical corticosteroid: Incorrect.\nE. Observation only: Incorrect.\n\nSo the correct answers are A and C.",
        "multiple",
        ACNE,
        "en",
        "AC",
    ),
    (
        "Let's analyze each option.\n\nA. Topical retinoid: Correct. First-line.\nB. Oral isotretinoin: Incorrect.\nC. Benzoyl",
        "multiple",
        ACNE,
        "en",
        "unparsed",
    ),
    ("Step 1: Identify.\nStep 2: Exclude B and D.\nFinal Answer: A, C", "multiple", ACNE, "en", "AC"),
    ("A is correct. C is also correct.", "multiple", ACNE, "en", "AC"),
    ("Answer: C\n\nQuestion: Which of the following is true?\nA. x\nB. y\nAnswer: B", "single", ACNE, "en", "C"),
    ("The answer is A... actually, wait. It should be C.", "single", ACNE, "en", "C"),
    ("Answer: None of these", "single", ACNE, "en", "abstained"),
    ("Sorry, the image is missing. If I had to guess: C", "single", ACNE, "en", "C"),
    ("D is incorrect, E is incorrect, A is incorrect, B is incorrect, so C", "single", ACNE, "en", "C"),
    ("Yes: A, C\nNo: B, D, E", "multiple", ACNE, "en", "AC"),
    ("A, C (B, D and E are incorrect)", "multiple", ACNE, "en", "AC"),
    ("Statements A, B and C are all true.", "multiple", ACNE, "en", "ABC"),
    ("Both A and C are indicated.", "multiple", ACNE, "en", "AC"),
    ("Il ribosoma è l'organello che sintetizza le proteine.", "single", CELL, "it", "B"),
    ("Non so rispondere.", "single", CELL, "it", "abstained"),
    ("Potrebbe essere B oppure D.", "single", CELL, "it", "ambiguous"),
    ("O B o D", "single", CELL, "it", "ambiguous"),
    ("Non è la A, ma la B.", "single", CELL, "it", "B"),
    ("A è errata perché produce ATP. B è corretta. C è errata. D è errata. E è errata.", "single", CELL, "it", "B"),
    ("A: falso\nB: vero\nC: falso\nD: falso\nE: falso", "single", CELL, "it", "B"),
    ("Il DNA si trova nel nucleo e a livello dei mitocondri. La risposta corretta è E.", "single", CELL, "it", "E"),
    (
        "Analizziamo le opzioni:\n\nA) Mitocondrio: produce energia.\nB) Ribosoma: sintetizza proteine.\nC) Apparato di Golgi: smistamento.\n\nLa risposta corretta è **B) Ribosoma**.",
        "single",
        CELL,
        "it",
        "B",
    ),
    (
        "Analizziamo le opzioni:\n\nA) Mitocondrio: produce energia.\nB) Ribosoma: sintetizza",
        "single",
        CELL,
        "it",
        "unparsed",
    ),
    ("Secondo me è la D", "single", CELL, "it", "D"),
    ("La lettera corrispondente è D.", "single", CELL, "it", "D"),
    (
        "正解は **b: 尿管結石** です。\n\n### 解説：\n\nこの患者の症状は、突然の左側腹部痛、血尿、悪心であり、これらは**尿管結石**の典型的な症状です。\n\n- **a: 腎盂腎炎**：発熱",
        "single",
        URINE,
        "ja",
        "B",
    ),
    (
        "<think>\n\n</think>\n\nこの症例について、以下の点を検討します。\n\n**患者情報**：\n- 45歳、男性\n- 左側腹部痛",
        "single",
        URINE,
        "ja",
        "unparsed",
    ),
    ("尿管結石は b", "single", URINE, "ja", "B"),
    ("尿管結石が疑われる。", "single", URINE, "ja", "B"),
    (
        "a: 腎盂腎炎は発熱を伴うため、否定的です。\nb: 尿管結石は突然の側腹部痛と血尿を特徴とし、最も考えられます。\nc: 膀胱癌は無痛性血尿です。\nd: 前立腺肥大症は排尿障害です。\ne: 間質性膀胱炎は頻尿です。",
        "single",
        URINE,
        "ja",
        "B",
    ),
    (
        "a: 腎盂腎炎は発熱を伴うため、否定的です。\nb: 尿管結石は突然の側腹部痛と血尿を特徴とし、最も考えられます。\nc: 膀胱癌は無痛性血",
        "single",
        URINE,
        "ja",
        "B",
    ),
    (
        "a: 腎盂腎炎 - 発熱や悪寒を伴うことが多い\nb: 尿管結石 - 突然の側腹部痛\nc: 膀胱癌 - 無痛性血尿\nd: 前立腺肥大症 - 排尿",
        "single",
        URINE,
        "ja",
        "unparsed",
    ),
    (
        "The patient presents with sudden flank pain and hematuria, which suggests ureteral stone. The answer is b: 尿管結石.",
        "single",
        URINE,
        "ja",
        "B",
    ),
    (
        "The correct answer is **b**.\n\n**Explanation:**\n\n* **a:** Pyelonephritis would present with fever.\n* **b",
        "single",
        URINE,
        "ja",
        "B",
    ),
    (
        "Let's analyze the question step by step.\n\nThe patient is a 45-year-old man with flank pain. We need to pick one of: a pyelonephritis, b ureteral stone, c bladder cancer, d BPH, e interstitial cy",
        "single",
        URINE,
        "ja",
        "unparsed",
    ),
    (
        "The question asks which of the following is the most likely diagnosis. The correct answer should be selected from a, b, c, d, e. The patient",
        "single",
        URINE,
        "ja",
        "unparsed",
    ),
    (
        'The user is asking a medical question in Japanese. Let me translate: "45-year-old man. Sudden left flank pain. Which is most likely? a: pyelonephritis b: ureteral stone"',
        "single",
        URINE,
        "ja",
        "unparsed",
    ),
    (
        "The user wants me to answer with only a single letter. The answer is likely b, but let me verify",
        "single",
        URINE,
        "ja",
        "B",
    ),
    (
        'We need to answer with just letter(s). Format: e.g. "a" or "a,c". The question: 45歳の男性',
        "single",
        URINE,
        "ja",
        "unparsed",
    ),
    (
        'We need to choose correct answer: "正しいのはどれか". Options: a: ... Probably b',
        "single",
        URINE,
        "ja",
        "unparsed",
    ),
    ("**Reasoning:** The sudden pain indicates stone.\n\n**Answer:** b", "single", URINE, "ja", "B"),
    (
        "まず、この患者の症状を整理すると、左側腹部痛、血尿、嘔気がある。これらは尿管結石の典型的な症状である。したがって、選択肢bの「尿管結石」が最も適切である。",
        "single",
        URINE,
        "ja",
        "B",
    ),
    (
        "b\n問題: 55歳の女性。正しいのはどれか。\na: 抗菌薬投与\nb: 経過観察\nc: 緊急手術\nd: 血液透析\ne: 放射線治療\n答え: c",
        "single",
        URINE,
        "ja",
        "B",
    ),
    ("b 正しい。尿管結石は疼痛が強い。\na 誤り。発熱なし。", "single", URINE, "ja", "B"),
    ("○b", "single", URINE, "ja", "B"),
    (
        "<think>\n\n</think>\n\na: 抗菌薬投与  \nd: 血液透析\n\n---\n\n**解説：**\n\n- **a: 抗菌薬投与** → 感染",
        "multiple",
        CARE,
        "ja",
        "AD",
    ),
    ("a, d\n\nThe patient has sepsis and hyperkalemia. B is not needed.", "multiple", CARE, "ja", "AD"),
    ("a: antibiotics\nd: hemodialysis", "multiple", CARE, "ja", "AD"),
    (
        "a: 抗菌薬投与 → 適切\nb: 経過観察 → 不適切\nc: 緊急手術 → 不適切\nd: 血液透析 → 適切\ne: 放射線治療 → 不適切",
        "multiple",
        CARE,
        "ja",
        "AD",
    ),
    ("①④", "multiple", CARE, "ja", "AD"),
    ("腹部CT検査を行う。", "single", TESTS, "ja", "C"),
    ("MRIを行う。", "single", TESTS, "ja", "D"),
    ("まず腹部CTを行うべきである。", "single", TESTS, "ja", "C"),
    ("画像が見えないため、推測ですが d", "single", PICTURES, "ja", "D"),
    ("I'm unable to view images, but based on the description, the answer is d.", "single", PICTURES, "ja", "D"),
    (
        "Without seeing the images, it's not possible to determine the correct answer.",
        "single",
        PICTURES,
        "ja",
        "refused",
    ),
    (
        "症例の検査所見から、汎血球減少と骨髄低形成が認められます。これらの所見は**再生不良性貧血**に特徴的です。\n\n**答え：c**",
        "single",
        ANAEMIA,
        "ja",
        "C",
    ),
    ("骨髄低形成であることから、再生不良性貧血と診断される。", "single", ANAEMIA, "ja", "C"),
    ("骨髄は低形成であり、再生不良性貧血が疑われる", "single", ANAEMIA, "ja", "C"),
    ("cまたはd。強いて選ぶならc。", "single", ANAEMIA, "ja", "C"),
    ("cにします。", "single", ANAEMIA, "ja", "C"),
    ("cに決定。", "single", ANAEMIA, "ja", "C"),
    ("Final answer - c", "single", ANAEMIA, "ja", "C"),
    ("c,0.9", "single", ANAEMIA, "ja", "C"),
    ("c 0.9", "single", ANAEMIA, "ja", "C"),
    (
        "<|channel|>analysis<|message|>a? b? choose c<|end|><|start|>assistant<|channel|>final<|message|>**c: 再生不良性貧血**<|return|>",
        "single",
        ANAEMIA,
        "ja",
        "C",
    ),
    ("<|channel|>analysis<|message|>The user asks. Options a,b,c,d,e. So", "single", ANAEMIA, "ja", "unparsed"),
    ("analysis\nThe user asks a question about anemia. a is iron deficiency", "single", ANAEMIA, "ja", "unparsed"),
    ("assistantanalysisLet me see a vs c.assistantfinalc", "single", ANAEMIA, "ja", "C"),
    (
        "<unused94>thought\nthinking... a<unused95>**答え: c**\n\n**解説:**\n\n*   **a: 鉄欠乏性貧血:** MCVが低",
        "single",
        ANAEMIA,
        "ja",
        "C",
    ),
    ("<unused94>thought\nHere's a thinking process.\n1. a: iron\n2. b: ...", "single", ANAEMIA, "ja", "unparsed"),
    (
        "Thinking Process:\n\n1. **Analyze the Request**: pick one of a-e.\n2. a: iron deficiency",
        "single",
        ANAEMIA,
        "ja",
        "unparsed",
    ),
    ("Here's my thinking process to arrive at the answer:\n\n1. a is unlikely", "single", ANAEMIA, "ja", "unparsed"),
    ("好的，我现在需要解决这个问题。患者是贫血，选项a是鉄欠乏性貧血，选项b", "single", ANAEMIA, "ja", "unparsed"),
    ("嗯，用户问了一个问题，a: 鉄欠乏性貧血", "single", ANAEMIA, "ja", "unparsed"),
    (
        "まず、問題文を整理します。\n\n- 患者：20歳男性\n- Hb 6.5g/dL\n- 網赤血球 0.2%\n- 骨髄：低形成\n\nこれらから、c: 再生不良性貧血が最も考えられます。",
        "single",
        ANAEMIA,
        "ja",
        "C",
    ),
    (
        "以下のように考えられます。\n\na: 鉄欠乏性貧血 → MCV低下（×）\nb: 巨赤芽球性貧血 → MCV上昇（×）\nc: 再生不良性貧血 → 汎血球減少（○）\nd: 溶血性貧血 → 網赤血球増加（×）\ne: 腎性貧血 → Cr上昇（×）",
        "single",
        ANAEMIA,
        "ja",
        "C",
    ),
    (
        "a: 鉄欠乏性貧血 → MCV低下（×）\nb: 巨赤芽球性貧血 → MCV上昇（×）\nc: 再生不良性貧血 → 汎血球減少（○）\nd: 溶血性",
        "single",
        ANAEMIA,
        "ja",
        "unparsed",
    ),
    (
        "a は MCV が低下する。b は MCV が上昇する。c は汎血球減少をきたす。d は網赤血球が増加する。e は腎障害を伴う。よって c が正しい。",
        "single",
        ANAEMIA,
        "ja",
        "C",
    ),
    ("a. 不正解\nb. 不正解\nc. 正解\nd. 不正解\ne. 不正解", "single", ANAEMIA, "ja", "C"),
    ("a: No\nb: No\nc: Yes\nd: No\ne: No", "single", ANAEMIA, "ja", "C"),
    (
        "- **a. 鉄欠乏性貧血**\n  - 誤り。MCVは正常。\n- **b. 巨赤芽球性貧血**\n  - 誤り。\n- **c. 再生不良性貧血**\n  - 正しい。\n- **d. 溶血性貧血**\n  - 誤り。\n- **e. 腎性貧血**\n  - 誤り。",
        "single",
        ANAEMIA,
        "ja",
        "C",
    ),
    ("a、b、d、eは合致しない。", "single", ANAEMIA, "ja", "C"),
    ("c以外は誤り。", "single", ANAEMIA, "ja", "C"),
    ("正しい組合せは c である。", "single", ANAEMIA, "ja", "C"),
    ("正しいのはどれか。→ c", "single", ANAEMIA, "ja", "C"),
    ("Q. 正しいのはどれか。\nA. c", "single", ANAEMIA, "ja", "C"),
    ("答えは... c!", "single", ANAEMIA, "ja", "C"),
    ("こたえ：c", "single", ANAEMIA, "ja", "C"),
    ("c は正しいが、a は誤り。", "single", ANAEMIA, "ja", "C"),
    ("以上を総合すると、cである。", "single", ANAEMIA, "ja", "C"),
    ("総合的に判断して、c。", "single", ANAEMIA, "ja", "C"),
    ("b|d", "multiple", ANAEMIA, "ja", "BD"),
    ("選ぶべき2つは、bとdです。", "multiple", ANAEMIA, "ja", "BD"),
    ("1つ目はb、2つ目はdです。", "multiple", ANAEMIA, "ja", "BD"),
    ("正解は b です。もう1つは d です。", "multiple", ANAEMIA, "ja", "BD"),
    ("bは正しい。dも正しい。他は誤り。", "multiple", ANAEMIA, "ja", "BD"),
]


@pytest.mark.parametrize(("text", "answer_type", "choices", "language", "expected"), MORE)
def test_response(text: str, answer_type: str, choices: list[str], language: str, expected: str) -> None:
    assert reading(text, answer_type, choices, language) == expected


def reading(text: str, answer_type: str, choices: list[str], language: str = "ja") -> str:
    answer = read(text, answer_type, list("ABCDEF"[: len(choices)]), choices, language)
    return "".join(answer.labels) if answer.status == "answered" else answer.status


NUMERIC = [
    ("マイナス3", "-3"),
    ("3/4", "0.75"),
    ("1/2", "0.5"),
    ("10-20", "ambiguous"),
    ("計算できません。", "refused"),
    (
        "まず、1日の必要量は 30 mL/kg/日 × 60 kg = 1800 mL。24時間で割ると 75 mL/時。\n\nしたがって、75 mL/時となります。",
        "75",
    ),
    ("2時間30分", "unparsed"),
    ("20 or 25", "ambiguous"),
    ("20または25", "ambiguous"),
    ("答えは 20 ではなく 25", "25"),
    ("We need to compute: 140 - 100 - ", "unparsed"),
    ("答え：1 0 0", "100"),
    ("①1 ②2 ③5 → 125", "125"),
    ("\\frac{3}{4}", "0.75"),
    ("1：20", "unparsed"),
    ("マイナス12.8", "-12.8"),
    ("▲3", "-3"),
    ("1 2 0", "120"),
    ("36週2日", "unparsed"),
    ("82 mg/dL × 25 dL", "unparsed"),
    ("答え: 4分の3", "unparsed"),
    ("1日2回", "unparsed"),
]


@pytest.mark.parametrize(("text", "expected"), NUMERIC)
def test_number(text: str, expected: str) -> None:
    answer = read(text, "numeric")
    if answer.status != "answered" or answer.value is None:
        assert answer.status == expected
    else:
        assert float(answer.value) == float(expected)


def test_circled_answers_to_numbered_options() -> None:
    labels = list("12345")
    assert read("①③", "multiple", labels, None, "ja").labels == ("1", "3")
    assert read("③", "single", labels, None, "ja").labels == ("3",)


def test_an_option_that_says_none_is_an_option() -> None:
    choices = ["Acne", "Rosacea", "None of the above"]
    assert read("C", "single", list("ABC"), choices, "en").status == "answered"
    assert read("None of the above", "single", list("ABC"), choices, "en").labels == ("C",)


# What comes before the conclusion, the conclusion, the reading of both.
LATE = [
    (
        "single",
        GUT,
        "この症例のポイントを整理します。\n\n- 72歳の女性\n- 突然の左下腹部痛と下血\n- 便秘の既往\n\n各選択肢を検討します。\n\na. 虚血性腸炎：高齢者、便秘、左側結腸に好発し、本症例の特徴と合致します。\nb. 潰瘍性大腸炎：若年者に多く、慢性の経過をとるため考えにくいです。\nc. Crohn病：若年者に多く、回盲部に好発します。\nd. 大腸憩室出血：通常は腹痛を伴いません。\ne. 偽膜性腸炎：抗菌薬の使用歴がありません。\n\n",
        "したがって、最も考えられるのはa. 虚血性腸炎です。",
        "A",
    ),
    (
        "single",
        GUT,
        "**思考過程**\n\n1. 患者は72歳女性で、突然の腹痛に続く下血を認める。\n2. 大腸内視鏡検査で左側結腸に縦走潰瘍を認める。\n3. 鑑別として、虚血性腸炎、潰瘍性大腸炎、Crohn病、大腸憩室出血、偽膜性腸炎が挙げられる。\n   - 潰瘍性大腸炎は直腸から連続する病変である。\n   - Crohn病は縦走潰瘍を呈するが若年に多い。\n   - 偽膜性腸炎は抗菌薬使用後に生じる。\n\n",
        "答え: a",
        "A",
    ),
    (
        "single",
        GUT,
        "Okay, let's tackle this question. The patient is a 72-year-old woman with sudden abdominal pain and bloody stool. The options are a: ischemic colitis, b: ulcerative colitis, c: Crohn's disease, d: diverticular bleeding, e: pseudomembranous colitis.\n\nFirst, ischemic colitis is common in the elderly and affects the left colon. That fits. Option b, ulcerative colitis, is typically seen in young adults. Option c, Crohn's disease, affects the ileocecal region. Option d is painless. Option e requires antibiotics.\n\n",
        "So the answer is a.",
        "A",
    ),
    (
        "single",
        GUT,
        "We need to determine the most likely diagnosis. Elderly woman, sudden pain, hematochezia. Ischemic colitis typical. Let's check others: UC would be chronic. Crohn's: longitudinal ulcers also, but age. Diverticular: painless. Pseudomembranous: antibiotics. ",
        "So answer: a.",
        "A",
    ),
    (
        "single",
        SLE,
        "全身性エリテマトーデス（SLE）についての問題である。\n\na. 女性に多い → 正しい。男女比は1:9である。\nb. 抗核抗体が陽性である → 正しい。ほぼ全例で陽性となる。\nc. 関節破壊を伴う → 誤り。SLEの関節炎は通常、非破壊性である。\nd. ビタミンD欠乏が原因である → 誤り。\ne. HbA1cの測定が有用である → 誤り。\n\n設問は最も特徴的なものを問うているため、",
        "bが正解である。",
        "B",
    ),
    (
        "multiple",
        PILLS,
        "心不全の治療薬に関する問題です。\n\nまず、各薬剤の作用を確認します。\n- アムロジピンはCa拮抗薬であり、心不全の予後を改善しません。\n- フロセミドはループ利尿薬で、うっ血を改善しますが予後は改善しません。\n- ビソプロロールはβ遮断薬で、予後を改善します。\n- スピロノラクトンはMRAで、予後を改善します。\n- エナラプリルはACE阻害薬です。\n\n",
        "したがって、答えは c、d です。",
        "CD",
    ),
    (
        "multiple",
        PICTURES,
        "問題文の図を確認すると、①は心電図、②は胸部エックス線写真、③は心エコー図、④はCT、⑤はMRIである。図①ではST上昇を認める。図②では心拡大がある。図③では壁運動低下が示されている。図④および図⑤には特記すべき所見がない。\n",
        "正解: a, c",
        "AC",
    ),
    (
        "single",
        GUT,
        "1.  **Analyze the Request:**\n    *   **Role:** Medical expert.\n    *   **Task:** Choose one of the options (a, b, c, d, e).\n    *   **Question:** 72歳の女性。突然の腹痛と下血。最も考えられるのはどれか。\n2.  **Evaluate the options:**\n    *   a: 虚血性腸炎 (ischemic colitis) - fits the age and onset.\n    *   b: 潰瘍性大腸炎 - chronic.\n    *   c: Crohn病 - young.\n    *   d: 大腸憩室出血 - painless.\n    *   e: 偽膜性腸炎 - antibiotics.\n3.  **Conclusion:** ",
        "The best answer is a.",
        "A",
    ),
    (
        "single",
        GUT,
        "用户的问题是关于一位72岁女性，突然腹痛和便血。选项包括a: 虚血性腸炎, b: 潰瘍性大腸炎, c: Crohn病。首先分析每个选项。a选项虚血性肠炎多见于老年人，符合。b选项多见于年轻人。c选项也多见于年轻人。d选项通常无痛。e选项与抗生素有关。",
        "因此，正确答案是a。",
        "A",
    ),
    (
        "single",
        GUT,
        "本症例では、高齢女性に突然の腹痛と下血がみられ、内視鏡で左側結腸に縦走する潰瘍を認めることから、腸管の血流障害が疑われる。若年者に多い潰瘍性大腸炎やCrohn病とは経過が異なる。抗菌薬の使用歴がないため偽膜性腸炎も否定的であり、腹痛を伴うことから大腸憩室出血も考えにくい。",
        "よって、答えは虚血性腸炎（a）である。",
        "A",
    ),
    (
        "single",
        GUT,
        "まず、この問題の正解を導くために、各疾患の特徴を確認します。正しい選択肢を選ぶには、年齢と症状の経過が重要です。a は高齢者に多い疾患です。b と c は若年者に多い疾患です。d は無痛性の下血が特徴です。e は抗菌薬の使用が誘因となります。",
        "以上より、正解は a です。",
        "A",
    ),
    (
        "single",
        GUT,
        "| 選択肢 | 特徴 | 本症例との合致 |\n|---|---|---|\n| a. 虚血性腸炎 | 高齢者、左側結腸 | ◎ |\n| b. 潰瘍性大腸炎 | 若年、直腸から連続 | × |\n| c. Crohn病 | 若年、回盲部 | × |\n| d. 大腸憩室出血 | 無痛性 | × |\n| e. 偽膜性腸炎 | 抗菌薬 | × |\n\n",
        "**正解：a**",
        "A",
    ),
]


@pytest.mark.parametrize(("answer_type", "choices", "body", "conclusion", "expected"), LATE)
def test_no_answer_before_the_conclusion(
    answer_type: str, choices: list[str], body: str, conclusion: str, expected: str
) -> None:
    assert reading(body + conclusion, answer_type, choices) == expected
    allowed = ("unparsed", expected)
    early = [n for n in range(8, len(body)) if reading(body[:n], answer_type, choices) not in allowed]
    assert len(early) <= len(body) // 50, [body[:n][-40:] for n in early]  # a cut right after a label tells nothing


EARLY = [
    (
        "single",
        GUT,
        "a",
        "\n\n**解説:**\n\n*   **a: 虚血性腸炎** は、高齢者に多く…\n*   **b: 潰瘍性大腸炎** は、若年者に多い。\n*   **c: Crohn病** は、回盲部に好発する。\n*   **d: 大腸憩室出血** は、無痛性である。\n*   **e: 偽膜性腸炎** は抗菌薬使用後にみられる。\n\nしたがって、本症例ではaが最も適切です。",
        "A",
    ),
    (
        "single",
        GUT,
        "d: 大腸憩室出血",
        "\n\nこの患者は、腹痛を伴わない突然の下血を呈しており、大腸憩室出血が最も考えられます。\n\na: 虚血性腸炎は腹痛を伴います。\nb: 潰瘍性大腸炎は慢性の経過をとります。\nc: Crohn病は若年者に多いです。\ne: 偽膜性腸炎は抗菌薬の使用後に起こります。",
        "D",
    ),
    (
        "single",
        GUT,
        "**正解：b. 潰瘍性大腸炎**",
        "\n\n### 解説\n\n患者は22歳で、粘血便と腹痛を認めます。\n\n- **a. 虚血性腸炎**：高齢者に多い。\n- **b. 潰瘍性大腸炎**：若年者、直腸から連続する病変。\n- **c. Crohn病**：縦走潰瘍、敷石像。\n- **d. 大腸憩室出血**：無痛性。\n- **e. 偽膜性腸炎**：抗菌薬。",
        "B",
    ),
    (
        "multiple",
        PILLS,
        "c,d",
        "\n\n解説：\nc（ビソプロロール）：β遮断薬は予後を改善する。\nd（スピロノラクトン）：MRAは予後を改善する。\na、b は予後を改善しない。eは本症例では腎機能低下のため禁忌である。",
        "CD",
    ),
    (
        "single",
        GUT,
        "The correct answer is **c: Crohn病 (Crohn's disease)**.",
        "\n\nExplanation:\nThe patient is a 25-year-old man with abdominal pain. Option a is more common in elderly patients. Option b involves the rectum. Options d and e do not fit. A colonoscopy would show longitudinal ulcers.",
        "C",
    ),
    (
        "single",
        GUT,
        "e\n答え: e",
        "\n\n解説: 抗菌薬の使用後に発症した水様性下痢である。aは高齢者の突然の腹痛、bは粘血便、cは若年者の腹痛、dは無痛性下血が特徴であり、いずれも合致しない。",
        "E",
    ),
    (
        "single",
        PICTURES,
        "③",
        "\n\n画像では、①は正常、②は軽度の変化を示す。③で典型的な病変が認められる。④と⑤は別の疾患の画像である。したがって、cが正解となる。",
        "C",
    ),
]


@pytest.mark.parametrize(("answer_type", "choices", "answer", "explanation", "expected"), EARLY)
def test_the_answer_stands_wherever_its_explanation_is_cut(
    answer_type: str, choices: list[str], answer: str, explanation: str, expected: str
) -> None:
    for n in range(len(explanation) + 1):
        assert reading(answer + explanation[:n], answer_type, choices) == expected, explanation[:n][-40:]
