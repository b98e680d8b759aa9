"""Catalogue of the data sets: files, checksums, sources and downloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd

from learnkernels.datasets.openml import openml_digits, openml_table


@dataclass(frozen=True)
class Dataset:
    """A data set of the catalogue.

    Attributes
    ----------
    file : str
        File name: CSV with a column ``target``, n-gram counts, or documents as JSON lines.
    sha256 : str
        Checksum of that file.
    about : str
        Short description that begins with the number of samples.
    source : str
        Origin of the data.
    download : callable or None
        Function that downloads the table; None if it has to be obtained manually.
    values : str
        Checksum of the values, independent of the file format.
    columns : str
        Columns of the file, in order.
    """

    file: str
    sha256: str
    about: str
    source: str
    download: Callable[[], pd.DataFrame] | None = None
    values: str = ""
    columns: str = "the features, then target"

    @property
    def form(self) -> str:
        """Describe the file format."""
        kind = "JSON lines" if ".jsonl" in self.file else "TSV" if ".tsv" in self.file else "CSV"
        return f"{kind}, gzip, with a header: {self.columns}; reference SHA-256 {self.sha256}"


def openml(number: int, labels: Mapping[str, object] | None = None) -> Callable[[], pd.DataFrame]:
    """Return a function that downloads an OpenML table."""
    return lambda: openml_table(number, labels)


UCI = "UCI Machine Learning Repository, archive.ics.uci.edu"
MIXOMICS = "breast.TCGA of the R package mixOmics"
SENTIMENT = "Multi-Domain Sentiment Dataset of Blitzer, Dredze and Pereira (2007)"
PROMOTERS = "repository solovictor/CNNPromoterData on GitHub (Umarov and Solovyev, 2017)"

DATASETS = {
    "breast_cancer_wisconsin": Dataset(
        "breast_cancer_wisconsin.csv.gz",
        "52330bd0ff153d017abe433c782788e3d4ea09a7a1d762a59ad03a50ce5e7d55",
        "699 x 9, benign or malignant", f"{UCI}; OpenML 15",
        openml(15, {"benign": 2, "malignant": 4}),
        "b1366a8b2487b24de7a028fc92b06a8aeb0327fa518c024a7a3f5bde63c75451",
    ),
    "breast_tcga_test": Dataset(
        "breast_tcga_test.csv.gz",
        "9612037069eb70da59fa1dcc312262662020c9021e833b50198980fdb4b2b524",
        "70 x 384, subtypes of breast cancer, without proteins", MIXOMICS,
        values="f0fb5adf822a05ddf4b6dd23eae17b7f4a8e57e4971b144a1afe60c0b38e416a",
    ),
    "breast_tcga_train": Dataset(
        "breast_tcga_train.csv.gz",
        "4fcca96efbca563d6073d47cd26c794523f1249f448a0bbb929f086b2b3193be",
        "150 x 526, subtypes of breast cancer in three views", MIXOMICS,
        values="d79e1865771a38c7cfa37dddbb913017d286cfe85fe4f2e276029c45deb296a4",
    ),
    "german_numeric": Dataset(
        "german_numeric.csv.gz",
        "59d0e72423d9fb0bb1f438514bb351e11e2f67569ab7cfdf6ddbab7456c7f9e8",
        "1000 x 24, good or bad credit", f"{UCI}, Statlog German Credit, german.data-numeric",
        values="fe014cd61df61d3fdf3d4f047f72d6be5a781eef996844bdd59a15acd46b28a7",
    ),
    "heart_statlog": Dataset(
        "heart_statlog.csv.gz",
        "7d36d84671d2b4ea37012024ee8f5a5268e6b90951b4921d71b1a03f9d41c0a1",
        "270 x 13, heart disease absent or present", f"{UCI}; OpenML 53",
        openml(53), "6e4219ae487fb774f8948a0669268f7df2526ca792e7ed76f16ac14a364f4978",
    ),
    "ionosphere": Dataset(
        "ionosphere.csv.gz",
        "395ec59a7fd25701ba6b350825a91c7786f19d309ed7853ad4b6cf0e2361a607",
        "351 x 34, good or bad radar returns", f"{UCI}; OpenML 59",
        openml(59), "c1b97558729e2c90999ee99c9fa7b70b9d3c30267c37369f540ffe7c169e9a2e",
    ),
    "kin8nm": Dataset(
        "kin8nm.csv.gz",
        "f9eac11869e48e7b4eab068cb26f28d031d05672a3f9e3f064ae07eaa216abfb",
        "8192 x 8, a robot arm, regression", "Delve kin-8nm; OpenML 189",
        openml(189), "d12533faf1037b8922f6400babb7ca54eb0868522092495ff3022e910777a017",
    ),
    "mfeat": Dataset(
        "mfeat.csv.gz",
        "3620e9037be9556fc7c4e4cc0e5f20f31ff6b6e12d6214750c99553066b40a5e",
        "2000 x 649, ten digits in six views", f"{UCI}, Multiple Features; OpenML 12, 14 to 22",
        openml_digits, "a353f7ba5999b75901761ad71ae270f14b17e92e60f97cb1967bbe6b85260e60",
    ),
    "multiloc": Dataset(
        "multiloc.csv.gz",
        "63f354cf8ff5b7cad0c615fb2aca74b424077dacd5eed74b0b156ece6c5da25f",
        "5959 protein sequences, 11 locations in the cell",
        "MultiLoc2 distribution (KohlbacherLab/MultiLoc2 on GitHub)",
        values="1dcf9c463c8eb3ffcc1054b02d43d293bf0976262f83f7f8ef85bd10303ab0e3",
        columns="accession, sequence, target",
    ),
    "promoters": Dataset(
        "promoters.csv.gz",
        "acdc0d81d7e5e411770aeb2c3d5c375554abf6a79b4937e3c2bdc698cdbaa325",
        "106 DNA sequences of 57, promoters of E. coli or not", f"{UCI}, Promoter Gene Sequences",
        values="48c0244eade01e7e4b008705fd06c6597f7fd6146dfc1d0b0d52e64f5bd717fe",
        columns="name, sequence, target",
    ),
    "protein_fold_factors": Dataset(
        "protein_fold_factors.csv.gz",
        "0352eae9a33877d1a65dd3c7331d8ffefb36a051d1ec4039842d81b5ff4dbd51",
        "694 x 324, 27 protein folds in 12 blocks of spectral factors",
        "UCSD MKL repository, protein fold prediction (Ding and Dubchak)",
        values="39842d4192e802131f503b705035854f432dcf80188aa4d9ed4c8fc4b64a54ae",
        columns="k01_01 to k12_27, split, target",
    ),
    "reuters21578_modapte": Dataset(
        "reuters21578_modapte.jsonl.gz",
        "36c537b777f427d6185729cafb0919ccffdf15d60701f8d598a007865592d6cd",
        "12902 news documents, ModApte split", "Reuters-21578, Distribution 1.0, 22 SGML files",
        values="125a38481aa36c60d8327e99e2539241d7dfa5c985c88a195018b641e5100d75",
        columns="newid, split, topics, title, body",
    ),
    "sentiment_ngrams_books": Dataset(
        "sentiment_ngrams_books.tsv.gz",
        "96d44c4bee3e02ebf9c39170cb8a9791d43474e3c93ebd5121224fedae3ef5e9",
        "2000 reviews of books, counts of words and bigrams", SENTIMENT,
        values="808af59c6c2919b630b50b08b50308ebf9281e09feccacf7459a31d9640838b4",
        columns="index, label, rating, ngrams",
    ),
    "sentiment_ngrams_dvd": Dataset(
        "sentiment_ngrams_dvd.tsv.gz",
        "3afb5c3cf9342cce896e12da5a905e88931181b1512d8c7d77cac2f9b675f2e5",
        "2000 reviews of DVDs, counts of words and bigrams", SENTIMENT,
        values="e6c8b428081ad91f72e501286167dcae32b8125958ab9f19c24604abb3372f72",
        columns="index, label, rating, ngrams",
    ),
    "sentiment_ngrams_electronics": Dataset(
        "sentiment_ngrams_electronics.tsv.gz",
        "4ba8cc7d72e7518b9dacd591df882273c7cc8f5fd59361ac2c15b0d0de958fa4",
        "2000 reviews of electronics, counts of words and bigrams", SENTIMENT,
        values="962ff2136ae2a92d75d3001c2cdb2a6e7a0521f404fa79a970b5cc0e82c67c98",
        columns="index, label, rating, ngrams",
    ),
    "sentiment_ngrams_kitchen": Dataset(
        "sentiment_ngrams_kitchen.tsv.gz",
        "593964aebad26ad7c14b7b355376b71d8fe01eeae5bdd5f721e5908cbdbf8afa",
        "2000 reviews of kitchen goods, counts of words and bigrams", SENTIMENT,
        values="17a35f8da4349cf8b2fd026bacaceede78a6b737ce181f286aeed00dd0a88da8",
        columns="index, label, rating, ngrams",
    ),
    "sentiment_reviews": Dataset(
        "sentiment_reviews.jsonl.gz",
        "713ef9e8a46f4c94a93bd98eef8efafa9ab38cdec68c45594aa50596e740597c",
        "8000 reviews of four kinds of goods, texts and ratings", SENTIMENT,
        values="503c6e95034723e32b6d012b4c005e9490f9c47dad389220743f6a63fd7190eb",
        columns="domain, index, label, rating, title, text",
    ),
    "sonar": Dataset(
        "sonar.csv.gz",
        "2f8fcdf15563c31fc138573adfbd97a3faacba33155f758612fc72a69b16321a",
        "208 x 60, mines or rocks", f"{UCI}; OpenML 40",
        openml(40, {"Mine": "M", "Rock": "R"}),
        "d7337c51aba535b8218502953b3fec7fba46cdba6c075934691c5781d4c6b427",
    ),
    "spambase": Dataset(
        "spambase.csv.gz",
        "88a4da07d7c7e981bf028c18971430f181f3275eb3c61930c624e11262362a5c",
        "4601 x 57, spam or not", f"{UCI}; OpenML 44",
        openml(44), "720d41d3a798f2126404f6d403e2baf87f8c03d8494ab6c52defa6ce9c210ad0",
    ),
    "splice_binary_train": Dataset(
        "splice_binary_train.csv.gz",
        "e18d297be4c11d75f2df1382f2aac85638c02982fce0f88775746166ea9fd6f2",
        "1000 x 60, splice junctions or not", 'LIBSVM data sets, "splice" (Delve)',
        values="8ea9fdfec45f8fa14bf342cec44df61ab389da0c9e48a4c43803c271a256fa29",
    ),
    "splice_junction": Dataset(
        "splice_junction.csv.gz",
        "095306222afd1fe84a271502e27d151980f614c02c8767201f372786bccc5173",
        "3190 DNA sequences of 60, two kinds of splice junctions or none",
        f"{UCI}, Splice-junction Gene Sequences",
        values="9b3444f64ec92975d6d0522b1e9d186aec40705d43cd42d1f68a2e95b7f7b064",
        columns="name, sequence, target",
    ),
    "tss_arabidopsis_tata": Dataset(
        "tss_arabidopsis_tata.csv.gz",
        "04ba23dd511a110e48662e13dbd60d98d36da9e8181a4af1467c7f8bb9d8c204",
        "4376 DNA sequences of 251, transcription starts or not", PROMOTERS,
        values="4f4e00c4b46380e200ddeba76d3511b715cf8fbbd625748566cf6e41d0055553",
        columns="sequence, target",
    ),
}  # fmt: skip
